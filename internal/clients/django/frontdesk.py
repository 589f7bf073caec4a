"""Sends the mails of Django by frontdesk."""

import base64
import json
import logging
from email.policy import default as policy
from smtplib import SMTPException
from urllib.request import HTTPErrorProcessor, Request, build_opener

from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import sanitize_address

TIMEOUT = 35  # seconds; the service answers within 30

# Header fields that the request has elsewhere, and those that the service or SES writes itself.
OWN = {"from", "to", "cc", "bcc", "reply-to", "subject", "date", "message-id", "mime-version", "idempotency-key"}

logger = logging.getLogger(__name__)


class FrontdeskError(SMTPException):
    """frontdesk cannot carry the whole mail, or did not send it. If it answered, status is the HTTP status, and code
    the answer's code. It is an SMTPException because applications catch those."""

    def __init__(self, message, status=None, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


class EmailBackend(BaseEmailBackend):
    """Reads the settings FRONTDESK_URL, the address of the API, FRONTDESK_KEY, the mail key, and EMAIL_TIMEOUT."""

    def __init__(self, url=None, key=None, fail_silently=False, **kwargs):
        super().__init__(fail_silently=fail_silently)
        self.url = (url or settings.FRONTDESK_URL).rstrip("/")
        self.key = key or settings.FRONTDESK_KEY

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
        mime = message.message()  # what SMTP would carry
        fields = [(name, policy.header_fetch_parse(name, str(value))) for name, value in mime.items()]
        by_name = {name.lower(): value for name, value in fields}
        mail = {
            **_addresses(message, by_name),
            **_content(mime),
            "subject": str(by_name.get("subject", "")).strip(),
            "headers": _headers(fields),
            "tags": _tags(message),
            "config": ["allowempty"],
        }
        answer = self._post(by_name.get("idempotency-key"), mail)
        for warning in answer.get("warning", []):
            logger.warning("frontdesk warns: %s", warning)
        return answer

    def _post(self, name, mail):
        """Errors have no cause: Django's error pages and mails would show the request, which contains the key."""
        headers = {"Content-Type": "application/json"}
        if name:
            headers["Idempotency-Key"] = str(name)
        request = Request(self.url + "/sender.php", json.dumps({"key": self.key, **mail}).encode(), headers)
        try:
            with build_opener(_Anything).open(request, timeout=settings.EMAIL_TIMEOUT or TIMEOUT) as response:
                status, body = response.status, response.read()
        except Exception as error:
            raise FrontdeskError(f"frontdesk gave no answer: {error}") from None
        try:
            answer = dict(json.loads(body))
        except (TypeError, ValueError):
            raise FrontdeskError(f"frontdesk answered HTTP {status} without JSON", status) from None
        if status == 200 and answer.get("status") == "success":
            return answer
        reason = f"{answer.get('code', '')} {answer.get('error') or answer.get('message') or ''}"
        raise FrontdeskError(f"frontdesk answered HTTP {status}: {reason.strip()}", status, answer.get("code"))


class _Anything(HTTPErrorProcessor):
    """Returns every answer unchanged: it follows no redirection, and no status raises an exception."""

    def http_response(self, request, response):
        return response

    https_response = http_response


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


def _headers(fields):
    headers = {}
    for name, value in fields:
        if name.lower() in OWN or name.lower().startswith("content-"):
            continue
        if name in headers:
            raise FrontdeskError(f"frontdesk carries a header field once: {name} is there twice")
        headers[name] = str(value).strip()
    return headers


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


def _content(mime):
    """The texts and the files."""
    content = {"attachments": []}
    for part, alternative in _leaves(mime):
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


def _file(part, kind, parameters):
    is_message = kind == "message/rfc822"
    content = part.get_payload(0).as_bytes() if is_message else part.get_payload(decode=True)
    return {
        "content": base64.b64encode(content).decode(),
        "filename": part.get_filename() or "",
        "type": kind + "".join(f"; {name}={value}" for name, value in parameters.items() if value),
        "cid": str(part["Content-ID"] or "").strip().strip("<>"),
    }
