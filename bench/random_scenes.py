#!/usr/bin/env python3
"""Random scenes of cloth, strands, rigid and soft bodies, judged by physics alone.

    python3 bench/random_scenes.py --seed 1 --count 70
    python3 bench/random_scenes.py --seed 12 --count 1 --kind pile --keep DIRECTORY
    python3 bench/random_scenes.py --kind swing,drape --solver newton:5

Prints a line for each scene whose result is wrong: `said` if the run warns, WRONG if it does not,
`slow` if it takes longer than the limit; and at the end how many scenes of each kind are right,
right with a warning, said, WRONG, slow or refused, and the geometric mean of their median times a
frame, ms. --solver takes the place of what a scene would choose. Exit code 1 if a scene is WRONG.

Kinds:
    drape    a sheet falls on a sphere, a box, a capsule or the ground
    swing    a sheet, a strand or a rod that is held somewhere swings
    strands  strands and rods fall on obstacles
    pile     bodies of tets, rigid bodies and sheets fall on each other
    links    rigid and soft bodies that are tied together swing
    collide  bodies meet without weight
    press    a moving obstacle presses a body on the ground and goes up again
    tear     bodies that are tied to each other hang, or fall on the ground, and tear or are cut
    held     a body of tets that is held at an end, of any material, with layers, regions, fibers,
             muscles, plasticity, growth, pressure, an exact volume, damping and any integrator
    ground   such a body falls on the ground
    skin     balloons, bags of water, ropes and nets that do not stretch, and fabrics hang

A result is wrong if it is not finite, if a vertex is more than 3 % of the scene's size inside an
obstacle that does not move, if the mechanical energy rises by more than 3 % of the weight times the
size (of the kinetic energy where there is no weight), or, in `swing`, `links`,
`held` and `skin`, if the end is off by more than a tenth of its way in the root mean square over the vertices. The end is then compared
with 40 iterations of Newton's method or, with rigid bodies, 300 of l_bfgs. Where a millionth more
weight moves that end too, an end may be off by twice as much more.
"""
import argparse
import csv
import json
import math
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
from array import array

G = 9.81
KINDS = ["drape", "swing", "strands", "pile", "links", "collide", "press", "tear", "held", "ground",
         "skin"]
# Their end is compared with that of a converged run.
COMPARED = ["swing", "links", "held", "skin"]


def read_positions(path):
    """Frames of flat lists of 3n numbers."""
    with open(path, "rb") as file:
        file.read(8)
        head = file.read(struct.unpack("<H", file.read(2))[0]).decode()
        frames, n = (int(x) for x in head.split("(")[1].split(",")[:2])
        data = array("d")
        data.frombytes(file.read())
    return [data[k * 3 * n:(k + 1) * 3 * n] for k in range(frames)]


# ------------------------------------------------------------------------------------------ scenes

def log_uniform(rng, low, high):
    return 10 ** rng.uniform(math.log10(low), math.log10(high))


def solver(rng, kind):
    """A solver and its number of substeps."""
    pick = rng.random()
    if pick < 0.6:
        return {"method": "l_bfgs", "iterations": rng.choice([5, 10, 10, 10, 20])}, 1
    if pick < 0.75:
        return {"method": "newton", "iterations": rng.choice([5, 10, 20])}, 1
    if pick < 0.9:
        return {"method": "xpbd", "iterations": rng.choice([1, 1, 5])}, rng.choice([10, 20])
    if kind == "links":
        return {"method": "quasi_newton", "iterations": 20}, 1
    return {"method": rng.choice(["vertex_block_descent", "quasi_newton", "gauss_seidel"]),
            "iterations": rng.choice([10, 20])}, 1


def sheet(rng, size, density, cells):
    """Material and mass of a square sheet."""
    area = density * size * log_uniform(rng, 3e-4, 3e-3)  # kg/m^2
    weight = area * G  # N/m^2
    if rng.random() < 0.35:
        k = weight * size * log_uniform(rng, 30, 3000)
        return {"model": "spring", "stiffness": k, "shear": k * rng.uniform(0.1, 1),
                "bending": k * log_uniform(rng, 1e-3, 0.2)}, area * size * size
    thickness = size * log_uniform(rng, 3e-4, 3e-3)
    young = weight * size / thickness * log_uniform(rng, 30, 3000)
    bending = young * thickness ** 3 / 12 * log_uniform(rng, 0.1, 30)
    if rng.random() < 0.3:
        return {"model": "orthotropic_stvk", "warp": young, "weft": young * rng.uniform(0.5, 1.5),
                "shear": young * rng.uniform(0.05, 0.3), "poisson": 0.2, "thickness": thickness,
                "bending": bending}, area * size * size
    return {"model": rng.choice(["neo_hookean", "stvk", "corotated"]), "young": young, "poisson": 0.3,
            "thickness": thickness, "bending": bending}, area * size * size


def strand(rng, size, density):
    """Material and mass of a strand."""
    radius = size * log_uniform(rng, 2e-3, 2e-2)
    line = density * math.pi * radius ** 2  # kg/m
    if rng.random() < 0.4:
        k = line * G * size * log_uniform(rng, 30, 3000)
        return {"model": "spring", "stiffness": k, "bending": k * log_uniform(rng, 1e-3, 0.2)}, line * size
    young = density * G * size ** 3 / radius ** 2 * log_uniform(rng, 0.1, 30)
    return {"model": "rod", "young": young, "poisson": 0.4, "radius": radius}, line * size


def solid(rng, size, density, method):
    """Mesh and material of a body of tets."""
    cells = rng.randint(2, 5)
    mesh = rng.choice([{"box": {"size": [size, size * rng.uniform(0.4, 1), size * rng.uniform(0.4, 1)],
                                "cells": [cells, max(2, cells - 1), max(2, cells - 1)]}},
                       {"sphere": {"radius": size / 2, "cells": rng.randint(4, 7)}},
                       {"torus": {"major": size * 0.36, "minor": size * 0.14}}])
    young = density * G * size * log_uniform(rng, 10, 1000)
    if method == "xpbd":
        return mesh, {"model": "stable_neo_hookean", "young": young, "poisson": rng.uniform(0.3, 0.48)}
    return mesh, {"model": rng.choice(["neo_hookean", "stable_neo_hookean", "corotated"]), "young": young,
                  "poisson": rng.uniform(0.2, 0.45)}


def any_material(rng, young, poisson, method):
    """A material of tets that the method runs."""
    mu, lam = young / 2 / (1 + poisson), young * poisson / (1 + poisson) / (1 - 2 * poisson)
    names = {"xpbd": ["stable_neo_hookean", "arap"], "projective_dynamics": ["arap"]}.get(method, [
        "neo_hookean", "stable_neo_hookean", "corotated", "stvk", "arap", "mooney_rivlin", "polynomial",
        "spline", "valanis_landel"])
    name = rng.choice(names)
    if name in ("arap", "polynomial"):
        return {"model": name, "mu": mu}
    if name == "mooney_rivlin":
        return {"model": name, "c1": 0.4 * mu, "c2": 0.1 * mu, "bulk": lam + 2 / 3 * mu}
    if name == "spline":
        return {"model": name, "preset": rng.choice("AB"), "young": young, "poisson": poisson}
    if name == "valanis_landel":
        return {"model": name, "a": [{"coefficient": mu, "power": 2, "about": 1}],
                "c": [{"coefficient": lam / 2, "log_power": 2}]}
    # Below a quarter stable_neo_hookean prefers to collapse.
    least = 0.26 if name == "stable_neo_hookean" else 0
    return {"model": name, "young": young, "poisson": max(poisson, least)}


def over_time(rng, last, start, end):
    return {"keyframes": [{"time": 0, "value": start}, {"time": last, "value": rng.choice(end)}]}


def any_body(rng, size, density, fall, method):
    """A body of tets with some of all that a body can have, and words for it."""
    young, poisson = density * G * size * log_uniform(rng, 10, 1000), rng.uniform(0.05, 0.47)
    n = rng.randint(2, 5)
    across = max(2, n // 2)
    mesh = rng.choice([
        {"box": {"size": [size, size * rng.uniform(0.2, 0.6), size * rng.uniform(0.2, 0.6)],
                 "cells": [2 * n, across, across], "tets_per_cell": rng.choice([5, 6])}},
        {"cylinder": {"radius": size * rng.uniform(0.1, 0.3), "height": size, "axis": [1, 0, 0],
                      "cells": rng.choice([4, 6]), "layers": 2 * n}},
        {"torus": {"major": size * 0.36, "minor": size * 0.14, "segments": rng.choice([12, 24])}},
        {"sphere": {"radius": size / 2, "cells": rng.randint(4, 7)}}])
    material = any_material(rng, young, poisson, method)
    body = {"name": "body", "density": density, "mesh": mesh, "material": material}
    words = [material["model"]]
    if rng.random() < 0.25:
        layer = rng.choice([{"model": "strain_limit", "mu": 3 * young, "min": 0.9, "max": 1.1},
                            {"model": "volume", "mu": young}, {"model": "arap", "mu": young / 3}])
        body["layers"] = [layer]
        words.append("+" + layer["model"])
    if rng.random() < 0.2:
        other = any_material(rng, young * log_uniform(rng, 0.01, 100), poisson, method)
        body["regions"] = [{"box": [[-9 * size] * 3, [0, 9 * size, 9 * size]], "material": other}]
        words.append("region " + other["model"])
    if rng.random() < 0.25:
        body["fiber"] = {"direction": rng.choice([[1, 0, 0], [0, 1, 0], [1, 1, 1]]),
                         "kappa": young * log_uniform(rng, 0.1, 30)}
        if rng.random() < 0.5:
            body["fiber"]["activation"] = rng.choice([0.3, over_time(rng, 3 * fall, 0, [0.4])])
        words.append("fiber")
    elif rng.random() < 0.2:
        material["plasticity"] = {"yield": rng.choice([0.01, 0.05]), "hardening": rng.choice([0, 0.5])}
        if rng.random() < 0.5:
            material["plasticity"]["creep"] = 1 / fall
        words.append("plastic")
    if rng.random() < 0.15:
        body["growth"] = [{"stretch": over_time(rng, 3 * fall, 1, [0.7, 1.3])}]
        words.append("growth")
    elif rng.random() < 0.2:
        body["volume"] = "exact"
        words.append("exact")
    elif rng.random() < 0.15:
        body["pressure"] = young * rng.uniform(-0.2, 0.2)
        words.append("pressure")
    if rng.random() < 0.25:
        body["damping"] = rng.choice([{"stiffness": fall * rng.choice([0.01, 0.05, 0.5])},
                                      {"loss_factor": 0.2, "frequency": 1 / fall}])
        words.append("damped")
    return body, " ".join(words)


def any_skin(rng, size, density, fall):
    """A body without tets that hangs, and words for it."""
    young = density * G * size * log_uniform(rng, 10, 1000)
    form = rng.choice(["balloon", "gas", "bag", "rope", "net", "fabric"])
    if form in ("balloon", "gas", "bag"):
        t, r = rng.uniform(0.002, 0.02) * size, size / 2
        stress = 10 * young * t / r  # Pa, of a skin stretched to twice its size, about
        material = {"model": rng.choice(["stable_neo_hookean", "stvk", "corotated", "neo_hookean"]),
                    "young": 10 * young, "poisson": 0.3, "thickness": t}
        body = {"density": density * t, "material": material,
                "mesh": {"icosphere": {"radius": r, "subdivisions": rng.choice([1, 2, 3])}},
                "pins": [{"select": {"box": [[-9 * size] * 3, [-0.35 * size, 9 * size, 9 * size]]},
                          "stiffness": 100 * density * size ** 2 * G}]}
        if form == "bag":
            body["volume"] = "exact"
        elif form == "balloon":
            body["pressure"] = stress * rng.uniform(0.01, 0.3)
        else:
            ambient = rng.choice([1e5, stress])
            body["pressure"] = {"gas": ambient * rng.choice([1, 1.05, 1.3]), "ambient": ambient}
    elif form == "rope":
        line = density * 1e-4 * size ** 2
        k = line * G * log_uniform(rng, 1e3, 1e5)
        material = rng.choice([
            {"model": "spring", "stiffness": k, "bending": 0, "inextensible": True},
            {"model": "rod", "young": density * G * size * 1e4 * log_uniform(rng, 0.1, 30), "poisson": 0.4,
             "radius": 0.01 * size, "inextensible": True}])
        body = {"density": line, "material": material, "pins": [{"select": {"vertices": [0]}}],
                "mesh": {"strand": {"end": [size, 0, 0], "segments": rng.choice([5, 10, 30])}}}
    elif form == "net":
        area = density * 1e-3 * size
        k = area * G * size * log_uniform(rng, 30, 3000)
        body = {"density": area, "pins": [{"select": {"vertices": [0]}}],
                "material": {"model": "spring", "stiffness": k, "shear": k * rng.choice([0, 0.01]),
                             "bending": 0, "inextensible": True},
                "mesh": {"cloth": {"u": [size, 0, 0], "v": [0, 0, -size],
                                   "cells": [rng.choice([4, 8]), 5]}}}
    else:
        n = rng.choice([6, 12])
        body = {"pins": [{"select": {"vertices": [0, n]}}],
                "material": {"model": "orthotropic_stvk",
                             "fabric": rng.choice(["gray_interlock", "white_dots_on_black"])},
                "mesh": {"cloth": {"u": [size, 0, 0], "v": [0, 0, -size], "cells": [n, n]}}}
    body["name"] = "body"
    if rng.random() < 0.2:
        body["damping"] = {"stiffness": 0.05 * fall}
    return body, "%s %s%s" % (form, body["material"]["model"], " damped" if "damping" in body else "")


def rotation(rng):
    return {"axis": [rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1)], "degrees": rng.uniform(0, 180)}


def obstacles(rng, size):
    r = size * rng.uniform(0.15, 0.4)
    kinds = {"sphere": [{"sphere": {"center": [0, 0, 0], "radius": r}}],
             "box": [{"box": {"center": [0, 0, 0], "size": [2 * r, 2 * r, 1.6 * r]}}],
             "capsule": [{"capsule": {"a": [-r, 0, 0], "b": [r, 0.1 * r, 0], "radius": 0.6 * r}}],
             "plane": [{"plane": {"offset": 0}}],
             "both": [{"sphere": {"center": [0, 0, 0], "radius": r}}, {"plane": {"offset": -r}}]}
    name = rng.choice(sorted(kinds))
    top = 0 if name == "plane" else 0.66 * r if name == "capsule" else r
    for i, collider in enumerate(kinds[name]):
        collider["name"] = "obstacle %d" % i
        collider["friction"] = rng.choice([0, 0.3, 0.6])
    return kinds[name], top


def make(kind, seed):
    """A scene, its length scale (m), and a line about it."""
    rng = random.Random("%s %d" % (kind, seed))
    size = log_uniform(rng, 1e-2, 10) if rng.random() < 0.8 else log_uniform(rng, 1e-3, 100)
    density = log_uniform(rng, 300, 3000)
    step = rng.choice([1 / 240, 1 / 60, 1 / 60, 1 / 60, 1 / 30, 0.1])
    method, substeps = solver(rng, kind)
    fall = math.sqrt(size / G)  # time to fall half a size
    seconds = min(6 * fall, 200 * step) if kind != "collide" else 60 * step
    frames = max(10, min(200, round(seconds / step)))
    scene = {"supple": 1, "time": {"step": step, "frames": frames, "substeps": substeps}, "solver": method,
             "bodies": []}
    what = ""
    if kind == "drape":
        cells = rng.randint(8, 30)
        colliders, top = obstacles(rng, size)
        material, mass = sheet(rng, size, density, cells)
        tilt = rng.uniform(-0.3, 0.3)
        scene["bodies"].append({"name": "sheet", "mass": mass, "material": material, "mesh": {"cloth": {
            "center": [0.1 * size * rng.uniform(-1, 1), top + 0.03 * size + abs(tilt) * size / 2, 0],
            "u": [size, tilt * size, 0], "v": [0, 0, -size * rng.uniform(0.5, 1)], "cells": [cells, cells]}}})
        scene["colliders"] = colliders
        what = "%s %d cells on %s" % (material["model"], cells, "+".join(next(iter(c)) for c in colliders))
    elif kind == "swing":
        form = rng.choice(["sheet", "sheet", "strand"])
        if form == "sheet":
            cells = rng.randint(5, 20)
            material, mass = sheet(rng, size, density, cells)
            mesh = {"cloth": {"u": [size, 0, 0], "v": [0, 0, -size], "cells": [cells, cells]}}
            held = rng.choice([[0], [0, cells], list(range(cells + 1))])
        else:
            cells = rng.randint(5, 40)
            material, mass = strand(rng, size, density)
            mesh = {"strand": {"start": [0, 0, 0], "end": [size, 0, 0], "segments": cells}}
            held = rng.choice([[0], [0, 1]])
        scene["bodies"].append({"name": "body", "mass": mass, "material": material, "mesh": mesh,
                                "pins": [{"select": {"vertices": held}}]})
        what = "%s %s %d cells, held at %d" % (form, material["model"], cells, len(held))
    elif kind == "strands":
        colliders, top = obstacles(rng, size)
        for i in range(rng.randint(1, 4)):
            material, mass = strand(rng, size, density)
            a = rng.uniform(0, math.pi)
            u = [0.5 * size * math.cos(a), 0.5 * size * rng.uniform(-0.2, 0.2), 0.5 * size * math.sin(a)]
            c = [0.1 * size * rng.uniform(-1, 1), top + size * (0.2 + 0.15 * i),
                 0.1 * size * rng.uniform(-1, 1)]
            scene["bodies"].append({"name": "strand %d" % i, "mass": mass, "material": material, "mesh": {
                "strand": {"start": [c[k] - u[k] for k in range(3)], "end": [c[k] + u[k] for k in range(3)],
                           "segments": rng.randint(6, 40)}}})
        scene["colliders"] = colliders
        what = "%s on %s" % (", ".join(b["material"]["model"] for b in scene["bodies"]),
                             "+".join(next(iter(c)) for c in colliders))
    elif kind in ("pile", "collide"):
        count = rng.randint(2, 5) if kind == "pile" else 2
        for i in range(count):
            own = size * rng.uniform(0.5, 1)
            form = rng.choice(["solid"] * 5 + ["rigid"] * 2 + (["sheet"] if kind == "pile" else []))
            if form == "rigid" and method["method"] not in ("l_bfgs", "quasi_newton"):
                form = "solid"
            if form == "sheet":
                material, mass = sheet(rng, own, density, 12)
                mesh = {"cloth": {"u": [own, 0, 0], "v": [0, 0, -own], "cells": [12, 12]}}
            else:
                mesh, material = solid(rng, own, density, method["method"])
                mass = density * own ** 3 * log_uniform(rng, 0.1, 1)
                if form == "rigid":
                    material = {"model": "rigid"}
            body = {"name": "%s %d" % (form, i), "mass": mass, "material": material, "mesh": mesh}
            if kind == "pile":
                body["transform"] = {"rotate": rotation(rng), "translate": [
                    0.2 * size * rng.uniform(-1, 1), size * (0.9 + 1.5 * i), 0.2 * size * rng.uniform(-1, 1)]}
            else:
                side = 1 if i else -1
                body["transform"] = {"rotate": rotation(rng), "translate": [
                    0.95 * side * size, 0.3 * size * rng.uniform(-1, 1), 0.3 * size * rng.uniform(-1, 1)]}
                speed = size / (30 * step)
                body["velocity"] = [-side * speed * rng.uniform(0.5, 1), 0, 0]
            scene["bodies"].append(body)
        scene["contact"] = {"friction": rng.choice([0, 0.3, 0.6])}
        if rng.random() < 0.25 and method["method"] in ("l_bfgs", "newton"):
            scene["contact"]["mode"] = "barrier"
        if kind == "pile":
            scene["colliders"] = [{"plane": {}}]
            scene["time"]["frames"] = min(240, max(10, round(10 * fall / step)))
            scene["damping"] = {"drag": 0.3 / fall}
        else:
            scene["gravity"] = [0, 0, 0]
        what = "%s%s" % (", ".join(b["name"].split()[0] for b in scene["bodies"]),
                         " barrier" if "mode" in scene["contact"] else "")
    elif kind == "press":
        form = rng.choice(["solid", "solid", "sheet", "strand"])
        half = 0.35 * size
        if form == "solid":
            mesh, material = solid(rng, size, density, method["method"])
            mass, half = 0.3 * density * size ** 3, 0.5 * size
        elif form == "sheet":
            material, mass = sheet(rng, size, density, 10)
            mesh = {"cloth": {"u": [size, 0, 0], "v": [0, 0, -size], "cells": [10, 10]}}
            half = 0
        else:
            material, mass = strand(rng, size, density)
            mesh = {"strand": {"start": [-size / 2, 0, 0], "end": [size / 2, 0, 0], "segments": 20}}
            half = 0
        scene["bodies"].append({"name": form, "mass": mass, "material": material, "mesh": mesh,
                                "transform": {"translate": [0, half + 0.02 * size, 0]}})
        r = size * rng.uniform(0.1, 0.4)
        press = rng.choice([{"sphere": {"center": [0, 0, 0], "radius": r}},
                            {"box": {"center": [0, 0, 0], "size": [2 * r, r, 2 * r]}},
                            {"capsule": {"a": [-r, 0, 0], "b": [r, 0, 0], "radius": r / 2}}])
        top, down = 2 * half + r + 0.3 * size, 2 * half * rng.uniform(0.3, 0.9) + r + 0.05 * size
        t = seconds / 3
        press.update({"name": "press", "motion": {"keyframes": [
            {"time": 0, "translate": [0.2 * size * rng.uniform(-1, 1), top, 0.2 * size * rng.uniform(-1, 1)]},
            {"time": t, "translate": [0.1 * size * rng.uniform(-1, 1), down, 0]},
            {"time": 2 * t, "translate": [0, top, 0]}]}})
        scene["colliders"] = [{"plane": {}}, press]
        scene["contact"] = {"friction": rng.choice([0, 0.3, 0.6])}
        if rng.random() < 0.25 and method["method"] in ("l_bfgs", "newton"):
            scene["contact"]["mode"] = "barrier"
        what = "%s %s with %s%s" % (form, material["model"], next(iter(press)),
                                    " barrier" if "mode" in scene["contact"] else "")
    elif kind == "links":
        if method["method"] in ("vertex_block_descent", "gauss_seidel"):
            method["method"] = "quasi_newton"
        count = rng.randint(2, 4)
        link = size / count
        bonds = []
        for i in range(count):
            rigid = rng.random() < 0.5 and method["method"] in ("l_bfgs", "quasi_newton")
            young = density * G * size * log_uniform(rng, 100, 10000)
            material = {"model": "rigid"} if rigid else {
                "model": "stable_neo_hookean", "young": young, "poisson": 0.4}
            mesh = {"box": {"size": [link, 0.3 * link, 0.3 * link], "cells": [3, 1, 1],
                            "center": [(i + 0.5) * link, 0, 0]}}
            scene["bodies"].append({"name": "link %d" % i, "mass": density * 0.09 * link ** 3,
                                    "material": material, "mesh": mesh})
            near = 0.01 * link
            if i:
                bonds.append({"body": "link %d" % i, "to": "link %d" % (i - 1), "select": {"box": [
                    [i * link - near, -link, -link], [i * link + near, link, link]]}})
        scene["bodies"][0]["pins"] = [{"select": {"box": [[-near, -link, -link], [near, link, link]]}}]
        scene["bonds"] = bonds
        scene["contact"] = {"bodies": False}
        what = ", ".join(b["material"]["model"] for b in scene["bodies"])
    elif kind == "tear":
        form = rng.choice(["solid", "solid", "sheet"])
        count, hangs = rng.randint(1, 3), rng.random() < 0.6
        piece, cells = size / count, rng.randint(3, 6)
        for i in range(count):
            young = density * G * size * log_uniform(rng, 10, 1000)
            center = [(i + 0.5) * piece, 0.6 * size, 0]
            if form == "sheet":
                material, mass = sheet(rng, size, density, cells)
                mass /= count
                mesh = {"cloth": {"center": center, "u": [piece, 0, 0], "v": [0, 0, -0.6 * size],
                                  "cells": [max(2, 2 * cells // count), cells]}}
            else:
                material = {"model": rng.choice(["neo_hookean", "stable_neo_hookean", "corotated"]),
                            "young": young, "poisson": rng.uniform(0.2, 0.45)}
                if method["method"] == "xpbd":
                    material["model"] = "stable_neo_hookean"
                mass = 0.09 * density * size ** 2 * piece
                mesh = {"box": {"size": [piece, 0.3 * size, 0.3 * size], "center": center,
                                "cells": [max(2, 2 * cells // count), max(2, cells // 2), max(2, cells // 2)]}}
            body = {"name": "piece %d" % i, "mass": mass, "material": material, "mesh": mesh}
            if rng.random() < 0.5:
                body["tearing"] = {"stretch": rng.uniform(1.02, 1.5), "per_frame": rng.choice([1, 4, 20])}
            scene["bodies"].append(body)
        near = 0.01 * piece
        face = lambda x: {"box": [[x - near, -9 * size, -9 * size], [x + near, 9 * size, 9 * size]]}
        ties = [(i - 1, i) for i in range(1, count) if rng.random() < 0.8]
        has_ties = method["method"] not in ("vertex_block_descent", "gauss_seidel", "jacobi")
        for a, b in ties if has_ties else []:
            if form == "sheet" and rng.random() < 0.5:
                scene.setdefault("seams", []).append({
                    side: {"body": "piece %d" % i, "select": face(b * piece)} for side, i in (("a", a), ("b", b))})
            else:
                scene.setdefault("bonds", []).append(
                    {"body": "piece %d" % b, "to": "piece %d" % a, "select": face(b * piece)})
        if hangs:
            scene["bodies"][0]["pins"] = [{"select": face(0)}]
        else:
            scene["colliders"] = [{"plane": {}}]
        scene["contact"] = {"friction": rng.choice([0, 0.5]), "self": rng.random() < 0.3}
        if rng.random() < 0.7 or not any("tearing" in b for b in scene["bodies"]):
            x, t = rng.uniform(0.2, 0.8) * size, 0.4 * seconds
            scene["blades"] = [{"segment": [[x, size, -size], [x + 0.3 * size * rng.uniform(-1, 1), size, size]],
                                "motion": {"translate": {"velocity": [0, -size / t, 0]}}}]
        scene["time"]["separate_after"] = rng.choice([0, 0, 1, 3])
        what = "%d %s%s%s%s" % (count, form, " hang" if hangs else " fall", " tied" if ties else "",
                                " blade" if "blades" in scene else "")
    elif kind in ("held", "ground"):
        body, what = any_body(rng, size, density, fall, method["method"])
        scene["bodies"].append(body)
        if kind == "held":
            pin = {"select": {"box": [[-9 * size] * 3, [-0.38 * size, 9 * size, 9 * size]]}}
            motion = rng.choice([
                None, None, {"rotate": {"axis": [1, 0, 0], "degrees_per_second": 30 / fall}},
                {"translate": {"velocity": [0, 0.1 * size / fall, 0]}}])
            if motion:
                pin["motion"] = motion
                what += " moving"
            body["pins"] = [pin]
            if rng.random() < 0.25:
                scene["time"]["integrator"] = rng.choice(["bdf2", "implicit_midpoint", "newmark",
                                                          "quasi_static"])
                what += " " + scene["time"]["integrator"]
        else:
            body["transform"] = {"rotate": rotation(rng), "translate": [0, size * rng.uniform(0.9, 2), 0]}
            scene["colliders"] = [{"plane": {}}]
            scene["contact"] = {"friction": rng.choice([0, 0.5])}
            if rng.random() < 0.2 and method["method"] in ("l_bfgs", "newton"):
                scene["contact"]["mode"] = "barrier"
            scene["damping"] = {"drag": 0.3 / fall}
    elif kind == "skin":
        body, what = any_skin(rng, size, density, fall)
        scene["bodies"].append(body)
        if not what.startswith("rope") and rng.random() < 0.2:
            scene["wind"] = {"velocity": [0, 0, rng.uniform(0, 3) * size / fall]}
            what += " wind"
    line = "%s %s, size %.2g m, step %.3g s, %s x %d" % (
        kind, what, size, step, method["method"], method["iterations"])
    return scene, size, line


# ------------------------------------------------------------------------------------------ judging

def depth(collider, x):
    """How deep a point is in a collider, m."""
    shape, s = next((k, v) for k, v in collider.items() if k in ("sphere", "box", "capsule", "plane"))
    if shape == "plane":
        return s.get("offset", 0) - x[1]
    if shape == "sphere":
        return s["radius"] - math.dist(s["center"], x)
    if shape == "box":
        return min(0.5 * s["size"][k] - abs(x[k] - s["center"][k]) for k in range(3))
    a, b = s["a"], s["b"]
    d = [b[k] - a[k] for k in range(3)]
    t = sum((x[k] - a[k]) * d[k] for k in range(3)) / sum(c * c for c in d)
    t = min(1, max(0, t))
    return s["radius"] - math.dist(x, [a[k] + t * d[k] for k in range(3)])


def judge(program, folder, scene, size, kind, limit):
    """(what is wrong, warnings, error, ms a frame)"""
    def run(name, own):
        file = os.path.join(folder, name + ".json")
        with open(file, "w") as to:
            json.dump(own, to, indent=1)
        out = os.path.join(folder, name)
        done = subprocess.run([program, "run", file, "-o", out], capture_output=True, text=True,
                              timeout=limit)
        return done.returncode, (done.stderr.strip().splitlines() or [""])[-1], out

    try:
        code, error, out = run("scene", scene)
    except subprocess.TimeoutExpired:
        return None, [], "takes more than %g s" % limit, None
    if code == 2:
        return [], [], error, None
    if code:
        return ["exit code %d: %s" % (code, error[-200:])], [], None, None
    with open(os.path.join(out, "run.json")) as file:
        report = json.load(file)
    warnings = [w["code"] for w in report["warnings"]]
    time = report["totals"]["milliseconds"]["median"]
    x = read_positions(os.path.join(out, "positions.npy"))
    n = len(x[0]) // 3
    wrong = []
    if not all(math.isfinite(v) for v in x[-1]):
        return ["not finite"], warnings, None, time
    still = [c for c in scene.get("colliders", []) if "motion" not in c]
    deepest = max((depth(c, f[3 * i:3 * i + 3]) for c in still for f in x[1:] for i in range(n)),
                  default=0)
    if deepest > 0.03 * size:
        wrong.append("%.1f %% of the size inside an obstacle" % (100 * deepest / size))
    with open(os.path.join(out, "frames.csv")) as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    total = [sum(r[k + "_energy"] for k in ("kinetic", "elastic", "pin", "gravity", "contact"))
             for r in rows]
    if kind == "collide":
        scale, what = max(rows[0]["kinetic_energy"], 1e-300), "its energy"
    elif kind == "ground":
        high = sum(x[0][1::3]) / n  # of its middle, about
        scale, what = rows[0]["gravity_energy"] / high * size, "weight times size"
    elif kind not in ("held", "skin"):
        scale, what = G * size * sum(b["mass"] for b in scene["bodies"]), "weight times size"
    # Presses, pins, muscles, growth and what blows up a body do work.
    body = scene["bodies"][0]
    is_driven = kind in ("press", "held", "skin") or "growth" in body or "pressure" in body or (
        "keyframes" in str(body.get("fiber")))
    gain = 0 if is_driven else (max(total) - total[0]) / scale
    if gain > 0.03:
        wrong.append("gains %.0f %% of %s" % (100 * gain, what))
    if kind in COMPARED:
        other = json.loads(json.dumps(scene))
        is_rigid = any(b["material"]["model"] == "rigid" for b in scene["bodies"])
        other["solver"] = {"method": "l_bfgs", "iterations": 300} if is_rigid else {
            "method": "newton", "iterations": 40}
        spread = 0
        for weight in (1, 1 + 1e-6):
            other["gravity"] = [0, -G * weight, 0]
            try:
                code, error, out = run("reference", other)
            except subprocess.TimeoutExpired:
                return None, warnings, "its reference takes more than %g s" % limit, time
            if code:
                return wrong + ["the reference: %s" % error[-100:]], warnings, None, time
            z = read_positions(os.path.join(out, "positions.npy"))
            if weight == 1:
                y = z
                way, off = (math.dist(a, b) / math.sqrt(n) for a, b in ((y[-1], y[0]), (x[-1], y[-1])))
            else:
                spread = math.dist(z[-1], y[-1]) / math.sqrt(n)
            if off <= 0.1 * way + 1e-4 * size + 2 * spread:
                break
        else:
            wrong.append("off by %.0f %% of its way" % (100 * off / way))
    return wrong, warnings, None, time


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/supple")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--solver", help="METHOD:ITERATIONS, or default: what a scene without a solver gets")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a run")
    parser.add_argument("--keep", help="a directory for the scenes that are not right")
    arguments = parser.parse_args()
    kinds = arguments.kind.split(",")
    if not set(kinds) <= set(KINDS):
        parser.error("--kind %s: expected some of %s" % (arguments.kind, ",".join(KINDS)))
    method, _, iterations = (arguments.solver or "").partition(":")
    if arguments.solver not in (None, "default") and not iterations.isdecimal():
        parser.error("--solver %s: expected METHOD:ITERATIONS or default" % arguments.solver)
    if not os.access(arguments.program, os.X_OK):
        parser.error("--program %s: no such program" % arguments.program)
    verdicts = ["right", "right, said", "said", "WRONG", "slow", "refused"]
    counts = {kind: dict.fromkeys(verdicts, 0) for kind in kinds}
    times = {kind: [] for kind in kinds}
    for i in range(arguments.count):
        kind, seed = kinds[i % len(kinds)], arguments.seed + i
        scene, size, line = make(kind, seed)
        if arguments.solver:
            scene["solver"] = {"method": method, "iterations": int(iterations)} if iterations else {}
            scene["time"]["substeps"] = 1
            line = "%s with %s" % (line, arguments.solver)
        folder = tempfile.mkdtemp()
        wrong, warnings, error, time = judge(arguments.program, folder, scene, size, kind, arguments.limit)
        if error:
            verdict = "slow" if wrong is None else "refused"
        elif wrong:
            verdict = "said" if warnings else "WRONG"
        else:
            verdict = "right, said" if warnings else "right"
        counts[kind][verdict] += 1
        if time:
            times[kind].append(time)
        if not verdict.startswith("right"):
            print("%-7s seed %d: %s: %s [%s]" % (
                verdict, seed, line, error or "; ".join(wrong), ", ".join(warnings)), flush=True)
            if arguments.keep:
                shutil.copytree(folder, os.path.join(arguments.keep, "%s_%d" % (kind, seed)),
                                dirs_exist_ok=True)
        shutil.rmtree(folder)
    print("%-8s" % "" + "".join("%12s" % v for v in verdicts) + "%12s" % "ms")
    for kind in kinds:
        mean = statistics.geometric_mean(times[kind]) if times[kind] else 0
        print("%-8s" % kind + "".join("%12d" % counts[kind][v] for v in verdicts) + "%12.2f" % mean)
    return 1 if any(own["WRONG"] for own in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
