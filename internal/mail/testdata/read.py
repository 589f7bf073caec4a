"""Prints as JSON what Python's email package reads in the message whose path is given."""

import email
import email.policy
import hashlib
import json
import sys

with open(sys.argv[1], "rb") as file:
    message = email.message_from_binary_file(file, policy=email.policy.default)


def mailboxes(name):
    field = message[name]
    return [f"{a.display_name}|{a.addr_spec}" for a in field.addresses] if field else []


parts, defects = [], [str(d) for d in message.defects]
for part in message.walk():
    defects += [str(d) for d in part.defects]
    for value in part.values():
        defects += [f"{value}: {d}" for d in getattr(value, "defects", ())]
    if part.is_multipart():
        continue
    content = part.get_content()
    if isinstance(content, str):
        content = content.replace("\r\n", "\n").encode()
    parts.append({
        "type": part.get_content_type(),
        "filename": part.get_filename() or "",
        "cid": part["Content-ID"] or "",
        "sha256": hashlib.sha256(content).hexdigest(),
    })

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
