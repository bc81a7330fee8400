"""`python -m fieldmouse` is `fieldmouse`: for where scripts are not on the path."""

from fieldmouse.cli import main

if __name__ == "__main__":
    main()
