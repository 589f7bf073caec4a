"""Transforms template.yaml as SAM does, with its parameters set and unset, and lints what comes out.

Every pair of parameters is seen in all four states. It takes cfn-lint, with which SAM's translator is installed. What
has a name in the whole account, such as a role that SAM makes, must not have the same one in another region.
--compare OTHER lints nothing: it says whether the template OTHER makes the same stack. The order of keys is no matter.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

# What no stack is made without.
ALWAYS = {"Purpose": "production"}

# What each switch sets; unset is the template's default.
SWITCHES = [
    {"Purpose": "test", "RedirectMailTo": "tester@example.com"},
    {"AllowedOrigins": "https://www.example.com,https://example.com"},
    {"AlarmTopicArn": "arn:aws:sns:us-east-1:123456789012:alarms"},
    {"DomainName": "api.example.com",
     "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/6d68ca91-47c9-448d-87b8-7dc96f783c85"},
    {"HostedZoneId": "Z1D633PJN98FT9"},
    {"DisableExecuteApiEndpoint": "true"},
    {"FrontendUrl": "https://www.example.com/help"},
    {"PublicUrl": "https://api.example.org"},
    {"MailConcurrency": "20"},
    {"ExistingTableName": "frontdesk-restored"},
    {"DeletionProtection": "true"},
    {"KmsKeyArn": "arn:aws:kms:us-east-1:123456789012:key/6d68ca91-47c9-448d-87b8-7dc96f783c85"},
    {"MailLogDays": "0"},
    {"EventWebhookUrl": "https://www.example.com/events", "EventWebhookSecret": "secret"},
    {"Tracing": "Disabled"},
    {"DefaultSender": "help@example.com", "SesConfigurationSet": "frontdesk"},
]

# The properties with names that are unique in an account, not in a region of it.
NAMES_OF_ACCOUNTS = {
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Role": "RoleName",
    "AWS::S3::Bucket": "BucketName",
}


def covering():
    """Rows of on and off in which every two switches meet in all four states: greedily, the same each time."""
    pairs = list(itertools.combinations(range(len(SWITCHES)), 2))
    open_ = {(i, j, a, b) for i, j in pairs for a in (0, 1) for b in (0, 1)}
    rows = list(itertools.product((0, 1), repeat=len(SWITCHES)))
    while open_:
        row = max(rows, key=lambda r: sum((i, j, r[i], r[j]) in open_ for i, j in pairs))
        open_ -= {(i, j, row[i], row[j]) for i, j in pairs}
        yield row


def transform(path, parameters):
    with open(path, encoding="utf-8") as file:
        template = yaml_parse(file.read())
    for name, value in parameters.items():
        template["Parameters"][name]["Default"] = value
    values = {n: str(p["Default"]) for n, p in template["Parameters"].items()}
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://packages-of-functions/key"
    return Translator({}, Parser()).translate(template, values)


def transforms(path):
    """The template at path as SAM transforms it, in JSON, by which switches are on."""
    made = {}
    for row in covering():
        parameters = dict(ALWAYS)
        for on, switch in zip(row, SWITCHES):
            parameters |= switch if on else {}
        made["".join(map(str, row))] = json.dumps(transform(path, parameters), sort_keys=True)
    return made


def same_everywhere(template):
    """The resources that would have the same name in an account's other region."""
    for logical_id, resource in json.loads(template)["Resources"].items():
        name = resource.get("Properties", {}).get(NAMES_OF_ACCOUNTS.get(resource["Type"]))
        if name is not None and "AWS::Region" not in json.dumps(name):
            yield logical_id


def main():
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    made = transforms("template.yaml")
    if sys.argv[1:2] == ["--compare"]:
        other = transforms(sys.argv[2])
        different = [switches for switches in made if made[switches] != other[switches]]
        print(f"{len(different)} of {len(made)} transforms differ", *different)
        sys.exit(len(different) > 0)
    for switches, template in made.items():
        for logical_id in same_everywhere(template):
            sys.exit(f"{logical_id} has the same name in two regions, with the switches {switches}")
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for switches, template in made.items():
            path = os.path.join(folder, switches + ".json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(template)
            paths.append(path)
        print(f"lint {len(paths)} transforms of template.yaml")
        sys.exit(subprocess.call(["cfn-lint", "--ignore-checks", "W2001", "--", *paths]))


if __name__ == "__main__":
    main()
