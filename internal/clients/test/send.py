"""Sends the mails of check.mjs by Django, and prints a line of JSON for each."""

import io
import json
import logging
import os
import pathlib
import sys
import traceback
from base64 import b64decode
from email.mime.image import MIMEImage

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMultiAlternatives

try:
    from django.core.mail import mailers
except ImportError:
    from django.core.mail import get_connection

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "django"))
# From version 6.1 on Django has MAILERS.
if has_mailers := django.VERSION >= (6, 1):
    settings.configure(MAILERS={})
else:
    settings.configure(EMAIL_BACKEND="frontdesk.EmailBackend")
log = io.StringIO()
logging.basicConfig(stream=log)


def backend_of(**options):
    options["key"] = os.environ["MAIL_KEY"]
    if not has_mailers:
        return get_connection(**options)
    settings.MAILERS["default"] = {"BACKEND": "frontdesk.EmailBackend", "OPTIONS": options}
    return mailers.default


def address(box):
    name = box.get("name", "").replace('"', '\\"')
    return f'"{name}" <{box["email"]}>' if name else box["email"]


class Signed(EmailMultiAlternatives):
    def message(self):
        message = super().message()
        message.replace_header("Content-Type", "multipart/signed; boundary=x")
        return message


def build(mail):
    boxes = {name: list(map(address, mail.get(name, []))) for name in ("from", "to", "cc", "bcc", "replyTo")}
    message = (Signed if "signed" in mail else EmailMultiAlternatives)(
        mail.get("subject", ""), mail.get("text", ""), ", ".join(boxes["from"]), boxes["to"], boxes["bcc"],
        cc=boxes["cc"], reply_to=boxes["replyTo"],
    )
    message.encoding = mail.get("charset")
    for name, value in mail.get("headers", {}).items():
        values = value if isinstance(value, list) else [value]
        message.extra_headers.update(zip((name, name.lower()), values))
    for name, field in (("returnPath", "Return-Path"), ("sender", "Sender")):
        if name in mail:
            message.extra_headers[field] = mail[name]
    if "envelope" in mail:
        message.extra_headers["To"] = message.to[0]
        message.to = [mail["envelope"]]
    for name, kind in (("html", "text/html"), ("alternative", "text/x-amp-html")):
        if name in mail:
            message.attach_alternative(mail[name], kind)
    if "calendar" in mail:
        message.attach_alternative(mail["calendar"]["content"], "text/calendar; method=" + mail["calendar"]["method"])
    for file in mail.get("inline", []):
        picture = MIMEImage(b64decode(file["content"]))
        picture.add_header("Content-ID", f"<{file['filename']}>")
        picture.add_header("Content-Disposition", "inline", filename=file["filename"])
        message.attach(picture)
    for file in mail.get("attachments", []):
        if file.get("inline"):
            picture = MIMEImage(b64decode(file["content"]))
            picture.add_header("Content-Disposition", "inline", filename=file["filename"])
            message.attach(picture)
        else:
            message.attach(file["filename"], b64decode(file["content"]), file["type"])
    if "tags" in mail:
        message.tags = mail["tags"]
    return message


for case in json.load(sys.stdin):
    options = {"url": case["url"], "timeout": case.get("timeout")}
    log.truncate(log.seek(0))
    result = {"case": case["name"], "ids": [], "dump": ""}
    message = build(case["mail"])
    try:
        backend = backend_of(**options)
        result["dump"] += repr(backend)
        for _ in range(case["mail"].get("times", 1)):
            assert backend.send_messages([message]) == 1
            result["ids"].append(message.frontdesk["message_id"])
    except ImproperlyConfigured as error:
        result["error"] = str(error)
    except OSError as error:
        result.update(error=str(error), status=error.status, code=error.code, retryAfter=error.retry_after)
        result["dump"] += "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
        assert backend_of(fail_silently=True, **options).send_messages([message]) == 0
    result["log"] = log.getvalue()
    print(json.dumps(result))
