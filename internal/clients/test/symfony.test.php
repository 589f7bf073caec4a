<?php

// Tests what of Symfony Mailer's interface other frameworks do not have: DSNs, several transports, and X-Transport. No
// request leaves this program.

use App\Mailer\FrontdeskTransportFactory;
use Symfony\Component\HttpClient\MockHttpClient;
use Symfony\Component\HttpClient\Response\MockResponse;
use Symfony\Component\Mailer\Exception\HttpTransportException;
use Symfony\Component\Mailer\Exception\IncompleteDsnException;
use Symfony\Component\Mailer\Exception\TransportException;
use Symfony\Component\Mailer\Exception\UnsupportedSchemeException;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Email;

foreach (['Mailer', 'HttpClient', 'Mime'] as $component) {
    require_once "Symfony/Component/$component/autoload.php";
}
require __DIR__.'/../symfony/FrontdeskTransport.php';
require __DIR__.'/../symfony/FrontdeskTransportFactory.php';

const HOSTS_OUT_OF_ORDER = ['down.example.com' => 503, 'closed.example.com' => 401];

// requests gets the URL and the decoded body of each request.
function transports(array $dsns, array &$requests): Transport\Transports
{
    $client = new MockHttpClient(static function (string $method, string $url, array $options) use (&$requests) {
        $requests[] = [$url, json_decode($options['body'], true)];
        $status = HOSTS_OUT_OF_ORDER[parse_url($url, \PHP_URL_HOST)] ?? 200;
        $answer = 200 === $status
            ? ['status' => 'success', 'id' => '7', 'message_id' => '<7@example.com>']
            : ['status' => 'error', 'code' => 'unavailable', 'error' => 'ask again'];

        return new MockResponse(json_encode($answer), [
            'http_code' => $status, 'response_headers' => ['Retry-After' => '7'],
        ]);
    });

    return (new Transport([new FrontdeskTransportFactory(null, $client)]))->fromStrings($dsns);
}

function email(string ...$headers): Email
{
    $email = (new Email())->from('sender@example.com')->to('ada@example.org')->subject('Hello')->text('Hello');
    foreach ($headers as $name => $value) {
        $email->getHeaders()->addTextHeader($name, $value);
    }

    return $email;
}

// The URLs that a mail went to, in order.
function urls(array $requests): array
{
    return array_column($requests, 0);
}

function same(mixed $got, mixed $want): void
{
    if ($got !== $want) {
        throw new \Exception('it is '.var_export($got, true).', not '.var_export($want, true));
    }
}

function refused(string $class, string $part, callable $do): \Throwable
{
    try {
        $do();
    } catch (\Throwable $e) {
        same([$e::class, str_contains($e->getMessage(), $part)], [$class, true]);

        return $e;
    }
    throw new \Exception("there is no $class");
}

$tests = [
    'a DSN names the host and the key' => static function () {
        $requests = [];
        transports(['frontdesk://fdm_1_a@mail.example.com'], $requests)->send(email());
        same(urls($requests), ['https://mail.example.com/sender.php']);
        same($requests[0][1]['key'], 'fdm_1_a');
    },
    'a DSN may have a port, and no TLS' => static function () {
        $requests = [];
        transports(['frontdesk+http://fdm_1_a@127.0.0.1:3000'], $requests)->send(email());
        same(urls($requests), ['http://127.0.0.1:3000/sender.php']);
    },
    'a transport as a string has no key' => static function () {
        $factory = new FrontdeskTransportFactory(null, new MockHttpClient());
        foreach (['frontdesk://mail.example.com', 'frontdesk+http://127.0.0.1:3000'] as $dsn) {
            $withKey = str_replace('://', '://fdm_1_a@', $dsn);
            same((string) $factory->create(Transport\Dsn::fromString($withKey)), $dsn);
        }
    },
    'a DSN without a key is refused' => static function () {
        $requests = [];
        refused(IncompleteDsnException::class, 'The key is missing', static function () use (&$requests) {
            transports(['frontdesk://mail.example.com'], $requests);
        });
    },
    'a DSN of another scheme is refused' => static function () {
        refused(UnsupportedSchemeException::class, 'frontdesk+http', static function () {
            (new FrontdeskTransportFactory())->create(Transport\Dsn::fromString('frontdesk+smtp://a@b.example'));
        });
    },
    'failover goes on to the next transport' => static function () {
        $requests = [];
        $dsn = 'failover(frontdesk://a@down.example.com frontdesk://b@closed.example.com frontdesk://c@up.example.com)';
        same(transports([$dsn], $requests)->send(email())->getMessageId(), '7@example.com');
        same(array_column(array_column($requests, 1), 'key'), ['a', 'b', 'c']);
    },
    'failover reports that all transports failed' => static function () {
        $requests = [];
        $dsn = 'failover(frontdesk://a@down.example.com frontdesk://b@closed.example.com)';
        $transports = transports([$dsn], $requests);
        refused(TransportException::class, 'All transports failed', static fn () => $transports->send(email()));
        same(\count($requests), 2);
    },
    'round robin goes around' => static function () {
        $requests = [];
        $dsn = 'roundrobin(frontdesk://a@one.example.com frontdesk://b@two.example.com)';
        $transports = transports([$dsn], $requests);
        for ($i = 0; $i < 4; ++$i) {
            $transports->send(email());
        }
        $keys = array_column(array_column($requests, 1), 'key');
        same([$keys[0] === $keys[1], $keys[0] === $keys[2], $keys[1] === $keys[3]], [false, true, true]);
    },
    'X-Transport chooses a transport, and does not leave' => static function () {
        $requests = [];
        $dsns = ['main' => 'frontdesk://a@one.example.com', 'bulk' => 'frontdesk://b@two.example.com'];
        transports($dsns, $requests)
            ->send(email(...['X-Transport' => 'bulk', 'X-Bus-Transport' => 'async', 'X-Ticket' => '7']));
        same(urls($requests), ['https://two.example.com/sender.php']);
        same($requests[0][1]['headers'], ['X-Ticket' => '7']);
    },
    'X-Transport does not leave by a transport that is the only one' => static function () {
        $requests = [];
        $client = new MockHttpClient(static function ($method, $url, $options) use (&$requests) {
            $requests[] = json_decode($options['body'], true);

            return new MockResponse('{"status": "success", "id": "7", "message_id": "<7@example.com>"}');
        });
        (new App\Mailer\FrontdeskTransport('https://one.example.com', 'a', $client))
            ->send(email(...['X-Transport' => 'bulk', 'X-Ticket' => '7']));
        same($requests[0]['headers'], ['X-Ticket' => '7']);
    },
    'an error has the seconds to wait' => static function () {
        $requests = [];
        $transports = transports(['frontdesk://a@down.example.com'], $requests);
        $e = refused(HttpTransportException::class, 'HTTP 503', static fn () => $transports->send(email()));
        same($e->getResponse()->getHeaders(false)['retry-after'], ['7']);
    },
];

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok: $name\n";
    } catch (\Throwable $e) {
        ++$failed;
        echo "FAILED: $name: {$e->getMessage()}\n";
    }
}
printf("%d passed, %d failed\n", \count($tests) - $failed, $failed);
exit($failed ? 1 : 0);
