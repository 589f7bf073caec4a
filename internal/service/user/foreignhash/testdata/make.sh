#!/bin/sh
# Prints hashes.txt: hashes that the libraries of others make. It needs these packages of Debian 12:
#   apt-get install --no-install-recommends \
#     php-cli ruby-bcrypt ruby-activemodel python3-django python3-bcrypt python3-argon2 python3-passlib openssl
# Each line has, between tabs, the kind, what has made the hash, the password, and the hash.
set -eu

ruby <<'RUBY'
require "active_model"
require "bcrypt"

class User # as a Rails application has it
  extend ActiveModel::Callbacks
  include ActiveModel::SecurePassword
  define_model_callbacks :initialize
  attr_accessor :password_digest
  has_secure_password validations: false
end

user = User.new
user.password = "Grüße, 世界 17"
puts ["bcrypt", "Rails' has_secure_password", "Grüße, 世界 17", user.password_digest].join("\t")
["Grüße, 世界 17", "short", "e\u0301 is two characters", "é" * 36].each do |password|
  puts ["bcrypt", "ruby-bcrypt, cost 4", password, BCrypt::Password.create(password, cost: 4)].join("\t")
end
RUBY

php <<'PHP'
<?php
function make($kind, $by, $password, $algorithm, $options) {
    echo implode("\t", [$kind, $by, $password, password_hash($password, $algorithm, $options)]), "\n";
}
make("bcrypt", "PHP", "Grüße, 世界 17", PASSWORD_BCRYPT, []);
make("bcrypt", "PHP, cost 12", "Grüße, 世界 17", PASSWORD_BCRYPT, ["cost" => 12]);
make("bcrypt", "PHP, cost 4", str_repeat("x", 72), PASSWORD_BCRYPT, ["cost" => 4]);
make("argon2id", "PHP, 64 MiB and 3 passes", "Grüße, 世界 17", PASSWORD_ARGON2ID, ["time_cost" => 3]);
make("argon2id", "PHP, 19 MiB and 2 passes", "Grüße, 世界 17", PASSWORD_ARGON2ID, ["memory_cost" => 19456, "time_cost" => 2]);
make("argon2id", "PHP, 7 MiB and 5 passes, as Keycloak", "Grüße, 世界 17", PASSWORD_ARGON2ID, ["memory_cost" => 7168, "time_cost" => 5]);
make("argon2id", "PHP, 128 MiB and 1 pass, as Kratos", "short", PASSWORD_ARGON2ID, ["memory_cost" => 131072, "time_cost" => 1]);
make("argon2id", "PHP, 8 KiB and 24576 passes", "short", PASSWORD_ARGON2ID, ["memory_cost" => 8, "time_cost" => 24576]);
PHP

/usr/bin/python3 <<'PYTHON'
import base64
import hashlib
import os
import subprocess

import argon2
import bcrypt
import django
from django.conf import settings
from django.contrib.auth import hashers
from passlib.hash import pbkdf2_sha256, pbkdf2_sha512

settings.configure()
django.setup()

def show(kind, by, password, hash):
    print(kind, by, password, hash, sep="\t")

def pbkdf2(by, password, rounds):
    hasher = hashers.PBKDF2PasswordHasher()
    show("pbkdf2_sha256", by, password, hasher.encode(password, hasher.salt(), rounds))

def bcrypt_sha256(by, password, rounds):
    hasher = hashers.BCryptSHA256PasswordHasher()
    hasher.rounds = rounds
    show("bcrypt_sha256", by, password, hasher.encode(password, hasher.salt()))

def argon2id(by, password, **cost):
    show("argon2id", by, password, argon2.PasswordHasher(**cost).hash(password))

show("pbkdf2_sha256", "Django's make_password", "Grüße, 世界 17", hashers.make_password("Grüße, 世界 17"))
pbkdf2("Django, 1,500,000 rounds", "Grüße, 世界 17", 1_500_000)
pbkdf2("Django, 1,000 rounds", "short", 1_000)
bcrypt_sha256("Django", "Grüße, 世界 17", 12)
bcrypt_sha256("Django, cost 4", "x" * 200, 4)
show("bcrypt", "Python's bcrypt", "short", bcrypt.hashpw(b"short", bcrypt.gensalt(4)).decode())
argon2id("argon2-cffi, RFC 9106", "Grüße, 世界 17", memory_cost=65536, time_cost=3, parallelism=4, hash_len=32)
argon2id("argon2-cffi, 16 threads", "short", memory_cost=128, time_cost=1, parallelism=16, hash_len=16, salt_len=8)

# Prefixes.
django_argon2 = hashers.Argon2PasswordHasher()
django_argon2.memory_cost, django_argon2.time_cost = 65536, 2
show("argon2id", "Django's argon2", "Grüße, 世界 17", django_argon2.encode("Grüße, 世界 17", "salt-of-django"))
django_bcrypt = hashers.BCryptPasswordHasher()
django_bcrypt.rounds = 4
show("bcrypt", "Django, cost 4", "short", django_bcrypt.encode("short", django_bcrypt.salt()))

# PBKDF2. Keycloak exports the rounds, and salt and key in base64; hashlib makes what it makes.
def b64(data):
    return base64.b64encode(data).decode()

def keycloak(by, password, digest, rounds, write):
    salt = os.urandom(16)
    key = hashlib.pbkdf2_hmac(digest, password.encode(), salt, rounds, 64)
    show("pbkdf2_" + digest, by, password, write(b64(salt), b64(key)))

def kratos(digest, rounds):
    return lambda salt, key: f"$pbkdf2-{digest}$i={rounds},l=64${salt.rstrip('=')}${key.rstrip('=')}"

keycloak("Keycloak", "Grüße, 世界 17", "sha256", 27_500, lambda salt, key: f"pbkdf2_sha256$27500${salt}${key}")
keycloak("Keycloak", "Grüße, 世界 17", "sha512", 210_000, lambda salt, key: f"pbkdf2_sha512$210000${salt}${key}")
keycloak("Keycloak, as Kratos writes it", "short", "sha256", 27_500, kratos("sha256", 27_500))
keycloak("Kratos, 500,000 rounds", "short", "sha512", 500_000, kratos("sha512", 500_000))
keycloak("Kratos", "short", "sha512", 2_000, kratos("sha512", 2_000))
show("pbkdf2_sha256", "passlib", "Grüße, 世界 17", pbkdf2_sha256.hash("Grüße, 世界 17"))
show("pbkdf2_sha512", "passlib", "short", pbkdf2_sha512.hash("short"))

# scrypt. Debian's Werkzeug is too old for it; hashlib makes what a newer one makes. Firebase's README has the
# parameters of a project and of a user.
def werkzeug(by, password, n):
    salt = b64(os.urandom(12)).replace("+", "p").replace("/", "s")
    key = hashlib.scrypt(password.encode(), salt=salt.encode(), n=n, r=8, p=1, maxmem=1 << 28)
    show("scrypt", by, password, f"scrypt:{n}:8:1${salt}${key.hex()}")

werkzeug("Werkzeug", "Grüße, 世界 17", 32768)
werkzeug("Werkzeug, 64 MiB", "short", 65536)
werkzeug("Werkzeug, 2 MiB", "short", 2048)

def firebase(by, password, ln, salt, separator, signer):
    key = hashlib.scrypt(password.encode(), salt=base64.b64decode(salt) + base64.b64decode(separator),
                         n=1 << ln, r=8, p=1, dklen=32, maxmem=1 << 28)
    encrypted = subprocess.run(["openssl", "enc", "-aes-256-ctr", "-K", key.hex(), "-iv", "0" * 32],
                               input=base64.b64decode(signer), capture_output=True, check=True).stdout
    show("firescrypt", by, password, f"$firescrypt$ln={ln},r=8,p=1${salt}${b64(encrypted)}${separator}${signer}")

SIGNER = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
firebase("Firebase's README", "user1password", 14, "42xEC+ixf3L2lw==", "Bw==", SIGNER)
firebase("Firebase, another user", "Grüße, 世界 17", 14, b64(os.urandom(16)), "Bw==", SIGNER)
PYTHON
