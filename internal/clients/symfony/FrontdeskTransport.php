<?php

namespace App\Mailer;

use Psr\EventDispatcher\EventDispatcherInterface;
use Psr\Log\LoggerInterface;
use Symfony\Component\Mailer\Exception\HttpTransportException;
use Symfony\Component\Mailer\Exception\TransportException;
use Symfony\Component\Mailer\Header\MetadataHeader;
use Symfony\Component\Mailer\Header\TagHeader;
use Symfony\Component\Mailer\SentMessage;
use Symfony\Component\Mailer\Transport\AbstractHttpTransport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Header\HeaderInterface;
use Symfony\Component\Mime\Header\MailboxHeader;
use Symfony\Component\Mime\Header\ParameterizedHeader;
use Symfony\Component\Mime\Header\PathHeader;
use Symfony\Component\Mime\Header\UnstructuredHeader;
use Symfony\Component\Mime\Message;
use Symfony\Component\Mime\Part\AbstractPart;
use Symfony\Component\Mime\Part\Multipart\AlternativePart;
use Symfony\Component\Mime\Part\Multipart\MixedPart;
use Symfony\Component\Mime\Part\Multipart\RelatedPart;
use Symfony\Component\Mime\Part\TextPart;
use Symfony\Contracts\HttpClient\Exception\DecodingExceptionInterface;
use Symfony\Contracts\HttpClient\Exception\ExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;

/**
 * Sends mails by frontdesk. If frontdesk cannot carry the whole mail, or did not send it, this throws a
 * TransportException; if it answered, an HttpTransportException with the HTTP status as its code. Its getResponse() has
 * the answer's "code".
 */
final class FrontdeskTransport extends AbstractHttpTransport
{
    /**
     * Header fields that the request has elsewhere, those that the service or SES writes itself, and those by which
     * Symfony chooses a transport.
     */
    private const OWN = '/^(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|idempotency-key|'
        .'x-transport|x-bus-transport)$/i';

    private string $url;
    private string $key;
    /** @var array<string, true> the lines that are in the log */
    private static array $warned = [];

    public function __construct(
        string $url,
        #[\SensitiveParameter] string $key,
        ?HttpClientInterface $client = null,
        ?EventDispatcherInterface $dispatcher = null,
        ?LoggerInterface $logger = null,
    ) {
        parent::__construct($client, $dispatcher, $logger);
        $this->url = rtrim($url, '/');
        $this->key = $key;
    }

    public function __toString(): string
    {
        return preg_replace(['{^https://}', '{^http://}'], ['frontdesk://', 'frontdesk+http://'], $this->url);
    }

    /** A dump does not show the key. */
    public function __debugInfo(): array
    {
        return ['url' => $this->url];
    }

    protected function doSendHttp(SentMessage $sent): ResponseInterface
    {
        $message = $sent->getOriginalMessage();
        if (!$message instanceof Message) {
            throw new TransportException('frontdesk does not carry a raw message');
        }
        $mail = $this->addresses($message, $sent->getEnvelope()->getRecipients()) + $this->fields($message)
            + $this->content($message->getBody());
        $name = $message->getHeaders()->get('Idempotency-Key');
        try {
            $response = $this->client->request('POST', $this->url.'/sender.php', [
                'headers' => $name ? ['Idempotency-Key' => $name->getBodyAsString()] : [],
                'json' => ['key' => $this->key, 'config' => ['allowempty']] + array_filter($mail),
                'max_redirects' => 0,
            ]);
            $status = $response->getStatusCode();
            $answer = $response->toArray(false);
        } catch (DecodingExceptionInterface $e) {
            throw new HttpTransportException("frontdesk answered HTTP $status without JSON", $response, $status);
        } catch (ExceptionInterface $e) { // not chained: its trace may contain the request
            throw new TransportException('frontdesk gave no answer: '.$e->getMessage());
        }
        if (200 !== $status || 'success' !== ($answer['status'] ?? null)) {
            $reason = ($answer['code'] ?? '').' '.($answer['error'] ?? $answer['message'] ?? '');
            throw new HttpTransportException("frontdesk answered HTTP $status: ".trim($reason), $response, $status);
        }
        $sent->setMessageId(trim($answer['message_id'], '<>'));
        foreach ($answer['warning'] ?? [] as $warning) {
            $sent->appendDebug("frontdesk warns: $warning\n");
            $this->warn("frontdesk warns: $warning");
        }

        return $response;
    }

    /** Logs each line once. It comes from the text of a mail, and so again with each mail of its kind. */
    private function warn(string $line): void
    {
        if (isset(self::$warned[$line])) {
            return;
        }
        if (1000 === \count(self::$warned)) {
            self::$warned = [];
        }
        self::$warned[$line] = true;
        $this->getLogger()->warning($line);
    }

    /** @param Address[] $envelope */
    private function addresses(Message $message, array $envelope): array
    {
        $list = static fn (string $name): array => array_map(
            static fn (Address $a): array => ['email' => $a->getAddress(), 'name' => $a->getName()],
            $message->getHeaders()->has($name) ? $message->getHeaders()->get($name)->getAddresses() : [],
        );
        $mail = ['recipients' => $list('To'), 'ccs' => $list('Cc'), 'bccs' => $list('Bcc')];
        $named = array_unique(array_column(array_merge(...array_values($mail)), 'email'));
        $sentTo = array_unique(array_map(static fn (Address $a): string => $a->getAddress(), $envelope));
        if (array_diff($named, $sentTo) || array_diff($sentTo, $named)) {
            throw new TransportException('frontdesk sends to To, Cc and Bcc: the envelope has other recipients');
        }
        if (1 !== \count($from = $list('From'))) {
            throw new TransportException('frontdesk sends mails of one sender: From has '.\count($from));
        }

        return $mail + ['sender' => $from[0], 'replyto' => $list('Reply-To')];
    }

    /** The subject, the tags, and the other header fields. */
    private function fields(Message $message): array
    {
        $mail = ['subject' => '', 'headers' => [], 'tags' => []];
        foreach ($message->getHeaders()->all() as $header) {
            $name = $header->getName();
            if ($header instanceof TagHeader) {
                $mail['tags'][$header->getValue()] = 'true';
            } elseif ($header instanceof MetadataHeader) {
                $mail['tags'][$header->getKey()] = $header->getValue();
            } elseif (0 === strcasecmp($name, 'Subject')) {
                $mail['subject'] = $this->text($header);
            } elseif (isset($mail['headers'][$name])) {
                throw new TransportException("frontdesk carries a header field once: $name is there twice");
            } elseif (!preg_match(self::OWN, $name) && !$this->leavesOut($header, $message)) {
                $mail['headers'][$name] = $this->text($header);
            }
        }

        return $mail;
    }

    /** Applications set both for all mails, such as in framework.mailer.headers and Laravel's mail.return_path. */
    private function leavesOut(HeaderInterface $header, Message $message): bool
    {
        $why = null;
        if ($header instanceof PathHeader && 0 === strcasecmp($header->getName(), 'Return-Path')) {
            $why = 'bounces go to the log of frontdesk';
        } elseif ($header instanceof MailboxHeader && 0 === strcasecmp($header->getName(), 'Sender')) {
            $from = $message->getHeaders()->get('From')->getAddresses()[0]->getAddress();
            $why = 0 === strcasecmp($header->getAddress()->getAddress(), $from) ? 'it is the address of From' : null;
        }
        if ($why) {
            $this->warn("frontdesk leaves out {$header->getName()}: $why");
        }

        return null !== $why;
    }

    private function text(HeaderInterface $header): string
    {
        $isText = $header instanceof UnstructuredHeader && !$header instanceof ParameterizedHeader;

        return $isText ? $header->getValue() : $header->getBodyAsString();
    }

    /**
     * The parts that contain no other parts, each with whether it is an alternative.
     *
     * @return array{AbstractPart, bool}[]
     */
    private function leaves(AbstractPart $part, bool $alternative = false): array
    {
        if (!$part instanceof MixedPart && !$part instanceof AlternativePart && !$part instanceof RelatedPart) {
            return [[$part, $alternative]];
        }
        $leaves = [];
        foreach ($part->getParts() as $child) {
            array_push($leaves, ...$this->leaves($child, $part instanceof AlternativePart));
        }

        return $leaves;
    }

    /** The texts and the files. */
    private function content(AbstractPart $body): array
    {
        $texts = $files = [];
        foreach ($this->leaves($body) as [$part, $alternative]) {
            $type = $part->getMediaType().'/'.$part->getMediaSubtype();
            if (!$part instanceof TextPart || $alternative && !preg_match('{^text/(plain|html|calendar)\b}', $type)) {
                throw new TransportException("frontdesk does not carry a part of the type $type here");
            }
            $headers = $part->getPreparedHeaders();
            $parameters = array_change_key_case($headers->get('Content-Type')->getParameters());
            $kind = ['text/plain' => 'text', 'text/html' => 'html'][$type] ?? null;
            if ($kind && !isset($texts[$kind]) && !$headers->has('Content-Disposition')) {
                $texts[$kind] = mb_convert_encoding($part->getBody(), 'UTF-8', $parameters['charset'] ?? 'UTF-8');
                continue;
            }
            $cid = $headers->has('Content-ID') ? $headers->get('Content-ID')->getBodyAsString() : '';
            $files[] = array_filter([
                'content' => base64_encode($part->getBody()),
                'filename' => $headers->getHeaderParameter('Content-Disposition', 'filename'),
                'type' => implode('; ', array_filter([
                    $type,
                    isset($parameters['charset']) ? "charset=$parameters[charset]" : '',
                    isset($parameters['method']) ? "method=$parameters[method]" : '',
                ])),
                'cid' => trim($cid, '<>'),
            ]);
        }

        return $this->nameContents($texts['html'] ?? '', $files) + $texts;
    }

    /** Symfony draws new Content-IDs for each attempt, but attempts with the same Idempotency-Key have to be equal. */
    private function nameContents(string $html, array $files): array
    {
        $names = [];
        foreach ($files as $i => $file) {
            if (str_ends_with($cid = $file['cid'] ?? '', '@symfony')) {
                $names[$cid] = $files[$i]['cid'] = "$i@symfony";
            }
        }

        return ['html' => strtr($html, $names), 'attachments' => $files];
    }
}
