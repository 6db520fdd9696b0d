import sys
from pathlib import Path

# Helpers are imported by name.
sys.path.insert(0, str(Path(__file__).parent))
