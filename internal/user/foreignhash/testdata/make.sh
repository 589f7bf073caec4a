#!/bin/sh
# Prints hashes.txt: hashes that the libraries of others make. It needs these packages of Debian 12:
#   apt-get install --no-install-recommends \
#     php-cli ruby-bcrypt ruby-activemodel python3-django python3-bcrypt python3-argon2
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
PHP

/usr/bin/python3 <<'PYTHON'
import argon2
import bcrypt
import django
from django.conf import settings
from django.contrib.auth import hashers

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
pbkdf2("Django, 1,000,000 rounds", "Grüße, 世界 17", 1_000_000)
pbkdf2("Django, 1,000 rounds", "short", 1_000)
bcrypt_sha256("Django", "Grüße, 世界 17", 12)
bcrypt_sha256("Django, cost 4", "x" * 200, 4)
show("bcrypt", "Python's bcrypt", "short", bcrypt.hashpw(b"short", bcrypt.gensalt(4)).decode())
argon2id("argon2-cffi, RFC 9106", "Grüße, 世界 17", memory_cost=65536, time_cost=3, parallelism=4, hash_len=32)
argon2id("argon2-cffi, 16 threads", "short", memory_cost=128, time_cost=1, parallelism=16, hash_len=16, salt_len=8)
PYTHON
