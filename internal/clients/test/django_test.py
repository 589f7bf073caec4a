"""Tests what of Django's interface other frameworks do not have: the options of a backend, and its settings."""

import os
import pathlib
import sys
import unittest
from unittest import mock

import django
from django.conf import settings
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends.base import BaseEmailBackend
from django.test.utils import override_settings

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "django"))
MAILERS = {
    "default": {
        "BACKEND": "frontdesk.EmailBackend",
        "OPTIONS": {"url": os.environ["BASE_URL"], "key": os.environ["MAIL_KEY"], "timeout": 7},
    },
    "misspelt": {"BACKEND": "frontdesk.EmailBackend", "OPTIONS": {"url": "https://a.example", "key": "k", "kee": "k"}},
}
HAS_MAILERS = django.VERSION >= (6, 1)
if HAS_MAILERS:
    settings.configure(MAILERS=MAILERS)
else:
    settings.configure()
from frontdesk import EmailBackend, FrontdeskError  # noqa: E402 - it is in the path now

HELLO = ("Hello", "Hello", "sender@example.com", ["ada@example.org"])


class OptionsTest(unittest.TestCase):
    def test_options_win_over_settings(self):
        with override_settings(FRONTDESK_URL="https://b.example/", FRONTDESK_KEY="other"):
            backend = EmailBackend(url="https://a.example/", key="k", timeout=7)
            self.assertEqual((backend.url, backend.key, backend.timeout), ("https://a.example", "k", 7))

    def test_settings_stand_in_for_options(self):
        with override_settings(FRONTDESK_URL="https://b.example/", FRONTDESK_KEY="other"):
            backend = EmailBackend()
            self.assertEqual((backend.url, backend.key, backend.timeout), ("https://b.example", "other", 35))

    def test_alias_and_unknown_options_reach_django(self):
        with mock.patch.object(BaseEmailBackend, "__init__") as init:
            EmailBackend(url="https://a.example", key="k", alias="news", colour="red")
        init.assert_called_once_with(alias="news", colour="red")

    def test_fail_silently_is_kept(self):
        self.assertFalse(EmailBackend(url="https://a.example", key="k").fail_silently)
        self.assertTrue(EmailBackend(url="https://a.example", key="k", fail_silently=True).fail_silently)

    def test_bad_settings_are_refused(self):
        for url in (None, "", "mail.example.com", "ftp://a.example", "https://", "https://["):
            with self.subTest(url=url), self.assertRaisesRegex(ImproperlyConfigured, "needs a url"):
                EmailBackend(url=url, key="k", fail_silently=True)
        with self.assertRaisesRegex(ImproperlyConfigured, "needs a key"):
            EmailBackend(url="https://a.example")

    def test_an_error_of_the_program_is_not_hidden(self):
        message = mail.EmailMessage(*HELLO)
        with mock.patch("frontdesk.build_opener", side_effect=RuntimeError("a fault")):
            backend = EmailBackend(url="https://a.example", key="k", fail_silently=True)
            self.assertRaises(RuntimeError, backend.send_messages, [message])

    def test_an_idempotency_key_is_ascii(self):
        message = mail.EmailMessage(*HELLO, headers={"Idempotency-Key": "é"})
        with self.assertRaisesRegex(FrontdeskError, "Idempotency-Key"):
            EmailBackend(url="https://a.example", key="k").send_messages([message])


class SettingsTest(unittest.TestCase):
    @unittest.skipUnless(HAS_MAILERS, "MAILERS comes with Django 6.1")
    def test_mailers(self):
        backend = mail.mailers.default
        self.assertEqual((backend.alias, backend.timeout), ("default", 7))
        self.assertEqual(mail.send_mail(*HELLO), 1)
        self.assertEqual(mail.EmailMessage(*HELLO).send(using="default"), 1)
        with self.assertRaisesRegex(mail.InvalidMailer, "kee"):
            mail.mailers["misspelt"]

    @unittest.skipIf(HAS_MAILERS, "beside MAILERS Django has no EMAIL_BACKEND")
    def test_email_backend(self):
        options = MAILERS["default"]["OPTIONS"]
        given = {"FRONTDESK_URL": options["url"], "FRONTDESK_KEY": options["key"], "EMAIL_TIMEOUT": 7}
        with override_settings(EMAIL_BACKEND="frontdesk.EmailBackend", **given):
            self.assertEqual(mail.get_connection().timeout, 7)
            self.assertEqual(mail.send_mail(*HELLO, html_message="<p>Hello</p>"), 1)


unittest.main()
