import sys
from pathlib import Path

# Workers import the pieces by name.
sys.path.insert(0, str(Path(__file__).parent))
