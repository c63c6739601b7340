"""Jimenez, Russakovsky and Narasimhan: CARETS. ACL 2022."""
