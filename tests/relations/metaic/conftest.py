import sys

sys.path.insert(0, "/tmp/metaic")
import stand_in
