<?php

namespace App\Mailer;

use Symfony\Component\Mailer\Exception\IncompleteDsnException;
use Symfony\Component\Mailer\Exception\UnsupportedSchemeException;
use Symfony\Component\Mailer\Transport\AbstractTransportFactory;
use Symfony\Component\Mailer\Transport\Dsn;
use Symfony\Component\Mailer\Transport\TransportInterface;

/** Makes the transport of a DSN: frontdesk://KEY@mail.example.com, or frontdesk+http:// for an API without TLS. */
final class FrontdeskTransportFactory extends AbstractTransportFactory
{
    public function create(Dsn $dsn): TransportInterface
    {
        if (!$this->supports($dsn)) {
            throw new UnsupportedSchemeException($dsn, 'frontdesk', $this->getSupportedSchemes());
        }
        $key = $dsn->getUser() ?? throw new IncompleteDsnException('The key is missing: frontdesk://KEY@HOST');
        $url = ('frontdesk' === $dsn->getScheme() ? 'https://' : 'http://').$dsn->getHost();
        if (null !== $port = $dsn->getPort()) {
            $url .= ":$port";
        }

        return new FrontdeskTransport($url, $key, $this->client, $this->dispatcher, $this->logger);
    }

    protected function getSupportedSchemes(): array
    {
        return ['frontdesk', 'frontdesk+http'];
    }
}
