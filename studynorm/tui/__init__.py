"""The screens: the only package that meets Textual."""
