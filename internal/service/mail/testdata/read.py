"""Prints as JSON what Python's email package reads in the message whose path is given."""

import email
import email.message
import email.policy
import hashlib
import json
import sys

with open(sys.argv[1], "rb") as file:
    message = email.message_from_binary_file(file, policy=email.policy.default)


def mailboxes(name):
    field = message[name]
    return [f"{a.display_name}|{a.addr_spec}" for a in field.addresses] if field else []


# filename* has filename beside it, for readers that do not know it (RFC 6266 appendix D).
EXPECTED = "duplicate parameter name; duplicate ignored"

parts, defects = [], []


def read(part):
    defects.extend(str(d) for d in part.defects)
    for value in part.values():
        defects.extend(f"{value}: {d}" for d in getattr(value, "defects", ()) if str(d) != EXPECTED)
    if part.get_content_maintype() == "multipart":
        for child in part.iter_parts():
            read(child)
        return
    content = part.get_content()
    if isinstance(content, email.message.Message):
        content = content.as_bytes()
    if isinstance(content, str):
        content = content.replace("\r\n", "\n").encode()
    parts.append({
        "type": part.get_content_type(),
        "parameters": dict(part["Content-Type"].params),
        "disposition": part.get_content_disposition() or "",
        "filename": part.get_filename() or "",
        "cid": part["Content-ID"] or "",
        "sha256": hashlib.sha256(content).hexdigest(),
    })


read(message)

json.dump({
    "subject": message["Subject"],
    "from": mailboxes("From"),
    "to": mailboxes("To"),
    "cc": mailboxes("Cc"),
    "replyto": mailboxes("Reply-To"),
    "fields": {name: str(value) for name, value in message.items()},
    "defects": defects,
    "parts": parts,
}, sys.stdout)
