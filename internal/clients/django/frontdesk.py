"""Sends the mails of Django by frontdesk: BACKEND is "frontdesk.EmailBackend", its OPTIONS are url and key. Before Django
6.1 the settings are EMAIL_BACKEND, FRONTDESK_URL and FRONTDESK_KEY."""

import base64
import json
import logging
from copy import copy
from email.message import Message
from email.policy import default as policy
from http.client import HTTPException
from smtplib import SMTPException
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import sanitize_address

TIMEOUT = 35  # seconds; the service answers within 30

# Header fields that the request has elsewhere, and those that the service or SES writes itself.
OWN = {"from", "to", "cc", "bcc", "reply-to", "subject", "date", "message-id", "mime-version", "idempotency-key"}

logger = logging.getLogger(__name__)
_warned = set()


class FrontdeskError(SMTPException):
    """frontdesk cannot carry the whole mail, or did not send it. If it answered, status is the HTTP status, code the
    answer's code, and retry_after the seconds to wait, if the answer names them. It is an SMTPException because
    applications catch those."""

    def __init__(self, message, status=None, code=None, retry_after=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class EmailBackend(BaseEmailBackend):
    """Takes the options url, the address of the API, key, the mail key, timeout, in seconds, and fail_silently. Without
    an option it reads the settings FRONTDESK_URL, FRONTDESK_KEY and EMAIL_TIMEOUT. Django's own options, such as the
    alias of MAILERS, and those that it does not know are for Django's class."""

    def __init__(self, url=None, key=None, timeout=None, fail_silently=False, **kwargs):
        super().__init__(**kwargs)
        self.fail_silently = fail_silently
        self.url = _checked(url or getattr(settings, "FRONTDESK_URL", None))
        self.key = key or getattr(settings, "FRONTDESK_KEY", None)
        if not self.key:
            raise ImproperlyConfigured("frontdesk needs a key: the option key, or the setting FRONTDESK_KEY")
        # Beside MAILERS Django has no EMAIL_TIMEOUT.
        self.timeout = timeout or getattr(settings, "EMAIL_TIMEOUT", None) or TIMEOUT

    def send_messages(self, email_messages):
        sent = 0
        for message in email_messages or []:
            if not message.recipients():
                continue
            try:
                message.frontdesk = self._send(message)
                sent += 1
            except FrontdeskError:
                if not self.fail_silently:
                    raise
        return sent

    def _send(self, message):
        body = copy(message)
        body.attachments = []
        mime = body.message()  # what SMTP would carry, but for the attachments
        fields = [(name, policy.header_fetch_parse(name, str(value))) for name, value in mime.items()]
        by_name = {name.lower(): value for name, value in fields}
        mail = {
            **_addresses(message, by_name),
            **_content(message, mime),
            "subject": str(by_name.get("subject", "")).strip(),
            "headers": _headers(fields, by_name),
            "tags": _tags(message),
            "config": ["allowempty"],
        }
        answer = self._post(by_name.get("idempotency-key"), mail)
        for warning in answer.get("warning", []):
            _warn(f"frontdesk warns: {warning}")
        return answer

    def _post(self, name, mail):
        """Errors have no cause: Django's error pages and mails would show the request, which contains the key."""
        headers = {"Content-Type": "application/json"}
        if name:
            if not str(name).isascii():
                raise FrontdeskError("frontdesk takes an Idempotency-Key of ASCII")
            headers["Idempotency-Key"] = str(name)
        request = Request(self.url + "/sender.php", json.dumps({"key": self.key, **mail}).encode(), headers)
        try:
            with build_opener(_Anything).open(request, timeout=self.timeout) as response:
                status, wait, body = response.status, response.headers["Retry-After"], response.read()
        except (OSError, HTTPException) as error:
            raise FrontdeskError(f"frontdesk gave no answer: {error}") from None
        retry_after = int(wait) if wait and wait.isdigit() else None
        try:
            answer = dict(json.loads(body))
        except (TypeError, ValueError):
            raise FrontdeskError(f"frontdesk answered HTTP {status} without JSON", status, None, retry_after) from None
        if status == 200 and answer.get("status") == "success":
            return answer
        code, reason = answer.get("code"), answer.get("error") or answer.get("message")
        said = " ".join(filter(None, (code, reason)))
        raise FrontdeskError(f"frontdesk answered HTTP {status}: {said}", status, code, retry_after)


class _Anything(HTTPErrorProcessor):
    """Returns every answer unchanged: it follows no redirection, and no status raises an exception."""

    def http_response(self, request, response):
        return response

    https_response = http_response


def _checked(url):
    """The URL without a slash at its end. A bad one is told here, where the key is in no traceback."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured(
            f"frontdesk needs a url such as https://mail.example.com, not {url!r}: the option url, or FRONTDESK_URL"
        )
    return url.rstrip("/")


def _warn(line):
    """Logs each line once. It comes from the text of a mail, and so again with each mail of its kind."""
    if line not in _warned:
        if len(_warned) == 1000:
            _warned.clear()
        _warned.add(line)
        logger.warning("%s", line)


def _addresses(message, fields):
    def addresses(field):
        return [{"email": a.addr_spec, "name": a.display_name} for a in field.addresses] if field else []

    def named(*lists):
        return {box["email"] for boxes in lists for box in boxes}

    def parsed(values):
        encoded = (sanitize_address(value, message.encoding or settings.DEFAULT_CHARSET) for value in values)
        return addresses(policy.header_fetch_parse("To", ", ".join(encoded)))

    to, cc, bcc = addresses(fields.get("to")), addresses(fields.get("cc")), parsed(message.bcc)
    if named(to, cc, bcc) != named(parsed(message.recipients())):
        raise FrontdeskError("frontdesk sends to To, Cc and Bcc: the envelope has other recipients")
    sender = addresses(fields.get("from"))
    if len(sender) != 1:
        raise FrontdeskError(f"frontdesk sends mails of one sender: From has {len(sender)}")
    reply_to = addresses(fields.get("reply-to"))
    return {"sender": sender[0], "recipients": to, "ccs": cc, "bccs": bcc, "replyto": reply_to}


def _headers(fields, by_name):
    headers = {}
    for name, value in fields:
        if name.lower() in OWN or name.lower().startswith("content-") or _leaves_out(name, value, by_name["from"]):
            continue
        if name in headers:
            raise FrontdeskError(f"frontdesk carries a header field once: {name} is there twice")
        headers[name] = str(value).strip()
    return headers


def _leaves_out(name, value, sender):
    """Whether a field is left out that applications set for all mails."""
    why = None
    if name.lower() == "return-path":
        why = "bounces go to the log of frontdesk"
    elif name.lower() == "sender" and _folded(value) == _folded(sender):
        why = "it is the address of From"
    if why:
        _warn(f"frontdesk leaves out {name}: {why}")
    return why is not None


def _folded(field):
    return [address.addr_spec.lower() for address in field.addresses]


def _tags(message):
    """The tags of a dict; tags of a list get the value true."""
    tags = getattr(message, "tags", {})
    return tags if isinstance(tags, dict) else {name: "true" for name in tags}


def _leaves(part, alternative=False):
    """The parts that contain no other parts, each with whether it is an alternative."""
    kind = part.get_content_type()
    if kind in ("multipart/mixed", "multipart/alternative", "multipart/related"):
        for child in part.get_payload():
            yield from _leaves(child, kind == "multipart/alternative")
    elif kind.startswith("multipart/"):
        raise FrontdeskError(f"frontdesk does not carry a part of the type {kind}")
    else:
        yield part, alternative


def _content(message, body):
    """The texts and the files of a message. The body is its MIME without the attachments."""
    parts = list(_leaves(body))
    for attachment in message.attachments:
        parts.extend(_leaves(attachment) if isinstance(attachment, Message) else [(attachment, False)])
    content = {"attachments": []}
    for part, alternative in parts:
        if not isinstance(part, Message):
            content["attachments"].append(_given(*part, message.encoding or settings.DEFAULT_CHARSET))
            continue
        kind, charset = part.get_content_type(), part.get_param("charset")
        text = {"text/plain": "text", "text/html": "html"}.get(kind)
        is_file = part.get_filename() or part.get_content_disposition() == "attachment"
        if text and text not in content and not is_file:
            content[text] = part.get_payload(decode=True).decode(str(charset or "utf-8"))
        elif alternative and kind != "text/calendar":
            raise FrontdeskError(f"frontdesk does not carry an alternative of the type {kind}")
        else:
            content["attachments"].append(_file(part, kind, {"charset": charset, "method": part.get_param("method")}))
    return content


def _given(filename, content, kind, charset):
    """A file that the application gave by its content. As a part of MIME, a text would have other ends of lines."""
    if hasattr(content, "message"):  # an EmailMessage of Django
        content = content.message()
    if isinstance(content, Message):
        content = content.as_bytes()
    if isinstance(content, str):
        content = content.encode(str(charset))
    if kind.startswith("text/") and "charset" not in kind:
        kind += f"; charset={charset}"
    return {"content": base64.b64encode(content).decode(), "filename": filename or "", "type": kind}


def _file(part, kind, parameters):
    is_message = kind == "message/rfc822"
    content = part.get_payload(0).as_bytes() if is_message else part.get_payload(decode=True)
    return {
        "content": base64.b64encode(content).decode(),
        "filename": part.get_filename() or "",
        "type": kind + "".join(f"; {name}={value}" for name, value in parameters.items() if value),
        "cid": str(part["Content-ID"] or "").strip().strip("<>"),
    }
