"""`python -m studynorm` is `studynorm`."""

from studynorm.cli import main

if __name__ == "__main__":
    main()
