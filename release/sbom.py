#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a program is made of as SPDX 2.3 and CycloneDX 1.6, byte for byte the same for the same program.

sbom.py PROGRAM LINK-MAP TRIPLET ROOT VERSION EPOCH OUTPUT-WITHOUT-SUFFIX

Libraries inside the program are the archives of its link map; those that it loads are its NEEDED entries. Their
versions and licences are those of the package database below ROOT ("": this machine's). A library that no package
owns is an error. Prints the packages of the libraries that the program loads.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def archives(path, root):
    """Archives of the system that the link map says were linked, without the compiler's own."""
    # The compiler looks for them below its own folder: /usr/lib/gcc/…/../../../x86_64-linux-gnu/libyaml.a
    text = open(path, encoding="utf-8").read()
    found = {os.path.normpath(name).removeprefix(root) for name in re.findall(r"^(/\S*/lib[\w.+-]+\.a)\(", text, re.M)}
    return sorted(a for a in found if not re.search(r"/gcc(-cross)?/|_nonshared\.a$", a))


def loaded(program, triplet, root):
    """The files that the loader takes for the NEEDED entries."""
    for name in sorted(re.findall(r"\(NEEDED\).*\[(\S+)\]", run("readelf", "-d", program))):
        folders = (f"/lib/{triplet}", f"/usr/lib/{triplet}", "/lib64", "/lib")
        found = [f"{folder}/{name}" for folder in folders if os.path.exists(f"{root}{folder}/{name}")]
        yield found[0] if found else sys.exit(f"sbom.py: no {name} below {root}/")


def owner(path, root):
    """Package and version of the package that a file is from."""
    database = f"--admindir={root}/var/lib/dpkg"
    real = os.path.join(os.path.dirname(path), os.path.basename(os.path.realpath(root + path)))
    for name in (path, real, re.sub("^/usr", "", real), re.sub("^/usr", "", path), "/usr" + path, "/usr" + real):
        try:
            package = run("dpkg", database, "-S", name).split(":")[0]
            break
        except subprocess.CalledProcessError:
            continue
    else:
        sys.exit(f"sbom.py: no package owns {path}")
    version = run("dpkg-query", database, "-W", "-f", "${Version}\n", package).split()[0]
    return package, version


LICENCES = {"libjansson": "MIT", "libyaml": "MIT", "libmicrohttpd": "LGPL-2.1-or-later", "libcurl": "curl",
            "libgnutls": "LGPL-2.1-or-later", "libc6": "LGPL-2.1-or-later"}


def licence(package):
    return next((text for name, text in LICENCES.items() if package.startswith(name)), "NOASSERTION")


def components(program, link_map, triplet, root):
    parts = {owner(path, root): "static" for path in archives(link_map, root)}
    for path in loaded(program, triplet, root):
        parts.setdefault(owner(path, root), "dynamic")
    return [{"name": name, "version": version, "link": link, "licence": licence(name)}
            for (name, version), link in sorted(parts.items())]


def spdx(version, digest, parts, created):
    def package(ident, name, release, text, extra=None):
        return {"SPDXID": f"SPDXRef-{ident}", "name": name, "versionInfo": release, "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False, "licenseConcluded": text, "licenseDeclared": text,
                "copyrightText": "NOASSERTION", **(extra or {})}

    packages = [package("sakkara", "sakkara", version, "Apache-2.0",
                        {"checksums": [{"algorithm": "SHA256", "checksumValue": digest}]})]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-sakkara"}]
    for part in parts:
        ident = re.sub(r"[^A-Za-z0-9.-]", "-", part["name"])
        packages.append(package(ident, part["name"], part["version"], part["licence"]))
        relations.append({"spdxElementId": "SPDXRef-sakkara", "relatedSpdxElement": f"SPDXRef-{ident}",
                          "relationshipType": "STATIC_LINK" if part["link"] == "static" else "DYNAMIC_LINK"})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sakkara-{version}",
            "documentNamespace": f"urn:sakkara:{version}:{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: release/sbom.py"]},
            "packages": packages, "relationships": relations}


def cyclonedx(version, digest, parts, created):
    def component(part):
        text = part["licence"]
        licences = {} if text == "NOASSERTION" else {"licenses": [{"license": {"id": text}}]}
        return {"type": "library", "bom-ref": part["name"], "name": part["name"], "version": part["version"], **licences,
                "properties": [{"name": "sakkara:link", "value": part["link"]}]}

    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
            "metadata": {"timestamp": created,
                         "component": {"type": "application", "bom-ref": "sakkara", "name": "sakkara", "version": version,
                                       "hashes": [{"alg": "SHA-256", "content": digest}],
                                       "licenses": [{"license": {"id": "Apache-2.0"}}]}},
            "components": [component(part) for part in parts],
            "dependencies": [{"ref": "sakkara", "dependsOn": [part["name"] for part in parts]}]}


def main(program, link_map, triplet, root, version, epoch, output):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch)))
    digest = hashlib.sha256(open(program, "rb").read()).hexdigest()
    parts = components(program, link_map, triplet, root)
    for suffix, make in (("spdx.json", spdx), ("cdx.json", cyclonedx)):
        with open(f"{output}.{suffix}", "w", encoding="utf-8") as file:
            json.dump(make(version, digest, parts, created), file, indent=1)
            file.write("\n")
    print(*(part["name"] for part in parts if part["link"] == "dynamic"))


if __name__ == "__main__":
    main(*sys.argv[1:])
