"""The commands of ``vqamt``: one file each, with ``add_arguments(parser)`` and ``run(arguments) -> exit status``."""
