"""Odd stores for tests: recipes (docs/recipes.md), and the recipe of a store with lines behind it.

What damages a store stands in the test as lines of the recipe language, so that it can be read, and
built again by hand: `change journal/activemq-data-1.amq`, `  put 30 hex:7f`.
"""
import os
import subprocess

TIMEOUT_S = 120


def build(saranga, recipe, target):
    """Builds the store that the lines say; gives its path."""
    if not isinstance(recipe, bytes):
        recipe = recipe.encode()
    _run([saranga, "data", "build", "-", target, "--quiet"], recipe)
    return target


def recipe_of(saranga, store):
    """The recipe of a store that is there."""
    return _run([saranga, "data", "print", store, "--format", "recipe"], None)


def changed(saranga, store, target, *lines):
    """Builds a copy of a store in which the lines change something; gives its path."""
    more = "".join(line + "\n" for line in lines)
    return build(saranga, recipe_of(saranga, store) + more.encode(), target)


def example(fixtures, name):
    """The recipe fixtures/recipes/NAME.store."""
    with open(os.path.join(fixtures, "recipes", name + ".store"), "rb") as recipe:
        return recipe.read()


def _run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout
