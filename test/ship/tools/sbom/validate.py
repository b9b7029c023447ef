# SPDX-License-Identifier: Apache-2.0
"""validate.py FILE...: *.cdx.json by the strict schema of CycloneDX 1.6, *.spdx.json by the rules of SPDX 2.3."""
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def flaws(name):
    if name.endswith(".cdx.json"):
        with open(name, encoding="utf-8") as file:
            error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
        return [error] if error else []
    return [message.validation_message for message in validate_full_spdx_document(parse_file(name))]


found = [f"{name}: {flaw}" for name in sys.argv[1:] for flaw in flaws(name)]
sys.exit("\n".join(found) if found else 0)
