"""The oracle of a family as a program that a learner can run: torch reproduces the answer by itself.

The program is cut out of the family's own file, so that what is shown is what verified the answer.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from studynorm import problems as _problems
from studynorm.engine.family import Family, values_of


def snippet(family: Family[Any], params: Any) -> str:
    """Return a Python program that prints the answer to these parameters, as torch computes it.

    Empty where there is nothing to run, and for a family that is not a shipped one.
    """
    if family.arithmetic_only or not type(family).__module__.startswith(f"{_problems.__name__}."):
        return ""
    head, tail, whole_class = _program(type(family).__module__, type(family).__name__, type(params).__name__)
    values = ", ".join(f"{name}={value!r}" for name, value in values_of(params).items())
    maker = type(params).__name__ if whole_class else "SimpleNamespace"
    return f"{head}\np = {maker}({values})\n\n{tail}"


@lru_cache(maxsize=256)
def _program(module_name: str, family: str, given_name: str) -> tuple[str, str, bool]:
    """Return what stands before and after the parameters, and whether their class is needed."""
    module = ast.parse(inspect.getsource(sys.modules[module_name]))
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    methods = {node.name: node for node in classes[family].body if isinstance(node, ast.FunctionDef)}
    attributes = {
        target.id: node
        for node in classes[family].body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    functions = [methods[name] for name in _reached("oracle", methods)]
    constants = [attributes[name] for name in _own_names(functions) if name in attributes]
    given = classes[given_name]
    skip = {family, given_name}
    helpers = list(_helpers(module, [*functions, *constants], skip))
    used = [*functions, *helpers]
    whole_class = any(isinstance(node, ast.FunctionDef) for node in given.body) or bool(
        (_names(used) | _attributes(used)) & {"fields", "asdict", "replace", given_name}
    )
    wanted = [*functions, *constants, *([given] if whole_class else [])]
    helpers = list(_helpers(module, wanted, skip))
    imports = list(_imports(module, [*wanted, *helpers]))
    lines = [
        "import torch",
        *(["from types import SimpleNamespace"] if not whole_class else []),
        *imports,
        "",
    ]
    if "__file__" in _names([*wanted, *helpers]):
        lines.append(f"__file__ = {inspect.getsourcefile(sys.modules[module_name])!r}\n")
    lines += [ast.unparse(node) + "\n" for node in [*helpers, *([given] if whole_class else []), *constants]]
    program = "\n\n".join(ast.unparse(_as_function(function)) for function in reversed(functions))
    return (
        "\n".join(lines),
        f"{program}\n\n\ntorch.set_printoptions(precision=6)\nprint(oracle(p, torch))\n",
        whole_class,
    )


def _reached(start: str, methods: dict[str, ast.FunctionDef]) -> list[str]:
    """Return the methods that `start` calls on self, itself first, the called ones behind."""
    found = [start]
    for name in found:
        found += [used for used in _own_names([methods[name]]) if used in methods and used not in found]
    return found


def _own_names(nodes: list[ast.FunctionDef]) -> list[str]:
    names = [
        node.attr
        for function in nodes
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    ]
    return list(dict.fromkeys(names))


def _names(nodes: list[Any]) -> set[str]:
    return {node.id for root in nodes for node in ast.walk(_bare(root)) if isinstance(node, ast.Name)}


def _attributes(nodes: list[Any]) -> set[str]:
    return {node.attr for root in nodes for node in ast.walk(root) if isinstance(node, ast.Attribute)}


def _helpers(module: ast.Module, wanted: list[Any], skip: set[str]) -> Iterator[ast.stmt]:
    """Yield the functions, classes and constants of the file that are needed, in the file's order."""
    defined: dict[str, ast.stmt] = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in skip:
            defined[node.name] = node
        defined.update({name: node for name in _assigned(node) if name != "FAMILY"})
    needed: set[str] = set()
    frontier = _names(wanted) & set(defined)
    while frontier:
        needed |= frontier
        if "globals" in _names([*wanted, *(defined[name] for name in needed)]):
            # Who looks names up by their text may need any of them.
            needed = set(defined)
        frontier = (_names([defined[name] for name in frontier]) & set(defined)) - needed
    chosen = {id(defined[name]): defined[name] for name in needed}
    for node in module.body:
        if id(node) in chosen:
            yield _bare(node)


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    for target in targets:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _imports(module: ast.Module, nodes: list[Any]) -> Iterator[str]:
    used = _names(nodes)
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            kept = [name for name in node.names if (name.asname or name.name).partition(".")[0] in used]
            if kept:
                node.names = kept
                yield ast.unparse(node)


class _Bare(ast.NodeTransformer):
    """Strips annotations, docstrings and `self.`, which a program of plain functions does without."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        node.args.args = [argument for argument in node.args.args if argument.arg != "self"]
        for argument in [*node.args.args, *node.args.kwonlyargs]:
            argument.annotation = None
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
            node.body = node.body[1:]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node


def _bare(node: Any) -> Any:
    if isinstance(node, ast.ClassDef):
        return node
    return _Bare().visit(ast.parse(ast.unparse(node)).body[0])


def _as_function(node: ast.FunctionDef) -> ast.stmt:
    bare: ast.stmt = ast.fix_missing_locations(_bare(node))
    return bare
