<?php

// Sends the mails of check.mjs by Symfony Mailer, and prints a line of JSON for each.

use App\Mailer\FrontdeskTransport;
use Psr\Log\AbstractLogger;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Envelope;
use Symfony\Component\Mailer\Exception\HttpTransportException;
use Symfony\Component\Mailer\Exception\TransportExceptionInterface;
use Symfony\Component\Mailer\Header\MetadataHeader;
use Symfony\Component\Mailer\Header\TagHeader;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;
use Symfony\Component\Mime\Message;
use Symfony\Component\Mime\Part\DataPart;
use Symfony\Component\Mime\Part\Multipart\AlternativePart;
use Symfony\Component\Mime\Part\SMimePart;
use Symfony\Component\Mime\Part\TextPart;

foreach (['Mailer', 'HttpClient', 'Mime'] as $component) {
    require_once "Symfony/Component/$component/autoload.php";
}
require __DIR__.'/../symfony/FrontdeskTransport.php';

function address(array $box): Address
{
    return new Address($box['email'], $box['name'] ?? '');
}

/** Version 6 has another name for it. */
function addPart(Email $email, DataPart $part): void
{
    method_exists($email, 'addPart') ? $email->addPart($part) : $email->attachPart($part);
}

function build(array $mail): Message
{
    $email = new Email();
    foreach (['from', 'to', 'cc', 'bcc', 'replyTo'] as $field) {
        $email->$field(...array_map('address', $mail[$field] ?? []));
    }
    isset($mail['subject']) && $email->subject($mail['subject']);
    $charset = $mail['charset'] ?? 'utf-8';
    foreach (['text', 'html'] as $kind) {
        isset($mail[$kind]) && $email->$kind(mb_convert_encoding($mail[$kind], $charset, 'utf-8'), $charset);
    }
    foreach ($mail['attachments'] ?? [] as $file) {
        $part = new DataPart(base64_decode($file['content']), $file['filename'], $file['type']);
        addPart($email, isset($file['inline']) ? $part->asInline() : $part);
    }
    foreach ($mail['inline'] ?? [] as $file) {
        $email->embed(base64_decode($file['content']), $file['filename'], $file['type']);
    }
    if (isset($mail['calendar']['alternative'])) {
        $part = new TextPart($mail['calendar']['content'], 'utf-8', 'calendar');
        $part->getHeaders()->addParameterizedHeader('Content-Type', 'text/calendar', [
            'METHOD' => $mail['calendar']['method'],
        ]);
        $html = new TextPart($mail['html'], 'utf-8', 'html');
        $email->setBody(new AlternativePart(new TextPart($mail['text']), $html, $part));
    } elseif ($calendar = $mail['calendar'] ?? null) {
        $email->attach($calendar['content'], 'invite.ics', 'text/calendar; method='.$calendar['method']);
    }
    foreach ($mail['headers'] ?? [] as $name => $values) {
        foreach ((array) $values as $value) {
            $email->getHeaders()->addTextHeader($name, $value);
        }
    }
    foreach ($mail['tags'] ?? [] as $name => $value) {
        $email->getHeaders()->add('true' === $value ? new TagHeader($name) : new MetadataHeader($name, $value));
    }
    isset($mail['returnPath']) && $email->returnPath($mail['returnPath']);
    isset($mail['sender']) && $email->sender($mail['sender']);
    if (isset($mail['alternative'])) {
        $other = new DataPart($mail['alternative'], null, 'text/x-amp-html');
        $email->setBody(new AlternativePart(new TextPart('text'), $other));
    }
    $signed = new SMimePart([''], 'multipart', 'signed', ['boundary' => 'x']);

    return isset($mail['signed']) ? new Message($email->getHeaders(), $signed) : $email;
}

foreach (json_decode(stream_get_contents(\STDIN), true) as $case) {
    $mail = $case['mail'];
    $client = HttpClient::create(isset($case['timeout']) ? ['timeout' => $case['timeout']] : []);
    $log = new class extends AbstractLogger {
        public string $lines = '';

        public function log($level, $message, array $context = []): void
        {
            $this->lines .= "$level: $message\n";
        }
    };
    $transport = new FrontdeskTransport($case['url'], getenv('MAIL_KEY'), $client, null, $log);
    $envelope = isset($mail['envelope'])
        ? new Envelope(address($mail['from'][0]), [new Address($mail['envelope'])]) : null;
    $result = ['case' => $case['name'], 'ids' => [], 'dump' => print_r($transport, true).$transport];
    try {
        for ($i = 0; $i < ($mail['times'] ?? 1); ++$i) {
            $sent = $transport->send(build($mail), $envelope);
            $result['ids'][] = $sent->getMessageId();
            $result['dump'] .= $sent->getDebug();
        }
    } catch (TransportExceptionInterface $e) {
        $result += ['error' => $e->getMessage(), 'status' => $e->getCode() ?: null];
        $result['dump'] .= $e.$e->getDebug();
        if ($e instanceof HttpTransportException) {
            $wait = $e->getResponse()->getHeaders(false)['retry-after'][0] ?? null;
            $result['retryAfter'] = null === $wait ? null : (int) $wait;
            $result['code'] = json_decode($e->getResponse()->getContent(false), true)['code'] ?? null;
        }
    }
    $result['log'] = $log->lines;
    echo json_encode($result, \JSON_THROW_ON_ERROR), "\n";
}
