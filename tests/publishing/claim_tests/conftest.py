import sys
from pathlib import Path

# The rows made for a chapter's claims are imported by name.
sys.path.insert(0, str(Path(__file__).parent))
