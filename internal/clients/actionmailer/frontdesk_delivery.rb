# frozen_string_literal: true

require "json"
require "mail"
require "net/http"
require "set"

# Sends mails by frontdesk: add_delivery_method :frontdesk, FrontdeskDelivery, url: ..., key: ...
# The url is the address of the API, the key the mail key. A timeout is in seconds.
class FrontdeskDelivery
  # frontdesk cannot carry the whole mail, or did not send it. If it answered, status is the HTTP status, code the
  # answer's code, and retry_after the seconds to wait, if the answer names them.
  class Error < StandardError
    attr_reader :status, :code, :retry_after

    def initialize(message, status: nil, code: nil, retry_after: nil)
      super(message)
      @status = status
      @code = code
      @retry_after = retry_after
    end
  end

  TIMEOUT = 35 # seconds; the service answers within 30

  # Header fields that the request has elsewhere, and those that the service or SES writes itself.
  OWN = /\A(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|idempotency-key|
           x-ses-message-tags)\z/ix

  # The lines that are in the log.
  WARNED = Set.new
  private_constant :WARNED

  attr_accessor :settings

  def initialize(settings)
    @settings = settings
  end

  # Does not show the key.
  def inspect
    "#<#{self.class} #{settings[:url]}>"
  end

  # Sends the mail, sets the Message-ID that SES gave it, and returns the answer.
  def deliver!(mail)
    fields = { **addresses(mail), **content(mail), subject: mail.subject, headers: headers(mail), tags: tags(mail) }
    answer = post(fields, mail["Idempotency-Key"]&.decoded)
    mail.message_id = answer["message_id"]
    answer.fetch("warning", []).each { |warning| warn_once("frontdesk warns: #{warning}") }
    answer
  end

  private

  def logger
    ActionMailer::Base.logger if defined?(ActionMailer::Base)
  end

  # A line comes from the text of a mail, and so again with each mail of its kind.
  def warn_once(line)
    WARNED.clear if WARNED.size == 1000
    logger&.warn(line) if WARNED.add?(line)
  end

  def addresses(mail)
    from, to, cc, bcc, reply_to = %w[From To Cc Bcc Reply-To].map { |name| mailboxes(mail[name]) }
    named = (to + cc + bcc).map { |box| box[:email] }
    unless named.uniq.sort == mail.smtp_envelope_to.uniq.sort
      raise Error, "frontdesk sends to To, Cc and Bcc: the envelope has other recipients"
    end
    raise Error, "frontdesk sends mails of one sender: From has #{from.size}" unless from.size == 1

    { sender: from.first, recipients: to, ccs: cc, bccs: bcc, replyto: reply_to }
  end

  def mailboxes(field)
    return [] unless field
    raise Error, "#{field.name} is no list of addresses" unless field.field.respond_to?(:addrs)

    field.addrs.map { |address| { email: address.address, name: address.display_name } }
  end

  def headers(mail)
    fields = mail.header_fields.reject { |field| OWN.match?(field.name) || leaves_out?(field, mail) }
    names = fields.map { |field| field.name.downcase }
    twice = names.find { |name| names.count(name) > 1 }
    raise Error, "frontdesk carries a header field once: #{twice} is there twice" if twice

    fields.to_h { |field| [field.name, field.decoded] }
  end

  # Applications set both for all mails, by the default method of a mailer.
  def leaves_out?(field, mail)
    why = case field.name.downcase
          when "return-path" then "bounces go to the log of frontdesk"
          when "sender" then "it is the address of From" if mail.sender&.casecmp?(mail.from.first)
          end
    warn_once("frontdesk leaves out #{field.name}: #{why}") if why
    why
  end

  # SES's own header for tags: name=value, name=value
  # https://docs.aws.amazon.com/ses/latest/dg/event-publishing-send-email.html
  def tags(mail)
    pairs = mail["X-SES-MESSAGE-TAGS"]&.decoded.to_s.split(",")
    pairs.to_h { |pair| pair.strip.split("=", 2).push("").first(2) }
  end

  # The parts that contain no other parts, each with whether it is an alternative.
  def leaves(part, alternative: false)
    type = part.mime_type.to_s
    if type.start_with?("multipart/") && !%w[multipart/mixed multipart/alternative multipart/related].include?(type)
      raise Error, "frontdesk does not carry a part of the type #{type}"
    end
    # If a mail is among the files, ActionMailer gives the whole message the type text/plain.
    return [[part, alternative]] if part.parts.none?

    part.parts.flat_map { |child| leaves(child, alternative: type == "multipart/alternative") }
  end

  # The texts and the files.
  def content(mail)
    texts, files = {}, []
    leaves(mail).each do |part, alternative|
      type = part.mime_type || "text/plain"
      kind = { "text/plain" => :text, "text/html" => :html }[type]
      if kind && !texts[kind] && !part.attachment?
        texts[kind] = part.decoded
      elsif alternative && type != "text/calendar"
        raise Error, "frontdesk does not carry an alternative of the type #{type}"
      else
        files << file(part, type)
      end
    end
    name_contents(texts[:html], files).merge(texts.slice(:text))
  end

  # Mail returns text with LF instead of CRLF, except in its source.
  def file(part, type)
    encoded = %w[base64 quoted-printable].include?(part.body.encoding)
    content = encoded ? part.body.decoded : part.body.raw_source
    parameters = (part.content_type_parameters || {}).to_h.transform_keys(&:downcase).slice("charset", "method")
    {
      content: [content].pack("m0"),
      filename: part.filename,
      type: [type, *parameters.map { |name, value| "#{name}=#{value}" }].join("; "),
      cid: part.content_id && part.cid
    }
  end

  # Mail draws new Content-IDs for each attempt, but attempts with the same Idempotency-Key have to be equal.
  def name_contents(html, files)
    drawn = files.map { |file| file[:cid] }.select { |cid| cid&.end_with?(".mail") }
    names = drawn.each_with_index.to_h { |cid, i| [cid, "#{i}.mail"] }
    attachments = files.map { |file| file.merge(cid: names.fetch(file[:cid], file[:cid])) }
    { html: html&.gsub(Regexp.union(drawn), names), attachments: attachments }
  end

  def post(fields, idempotency_key)
    uri = endpoint
    request = Net::HTTP::Post.new(uri, "Content-Type" => "application/json", "Accept-Encoding" => "identity")
    request["Idempotency-Key"] = idempotency_key if idempotency_key
    given = fields.reject { |_, value| value.nil? || value.empty? }
    request.body = JSON.generate(key: settings.fetch(:key), config: ["allowempty"], **given)
    timeout = settings[:timeout] || TIMEOUT
    options = { use_ssl: uri.scheme == "https", open_timeout: timeout, read_timeout: timeout }
    response = Net::HTTP.start(uri.hostname, uri.port, options) { |http| http.request(request) }
    # Net::HTTP returns a body that the server cut off as if it were whole.
    length = response.content_length
    raise EOFError, "it was cut off" if length && response.body.to_s.bytesize < length

    check(response)
  rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError => e
    raise Error, "frontdesk gave no answer: #{e.message}"
  end

  def endpoint
    address = URI.parse("#{settings[:url].to_s.chomp("/")}/sender.php")
    return address if address.is_a?(URI::HTTP) && address.host

    raise URI::InvalidURIError
  rescue URI::InvalidURIError
    raise Error, "frontdesk needs a url such as https://mail.example.com, not #{settings[:url].inspect}"
  end

  def check(response)
    status = response.code.to_i
    retry_after = Integer(response["Retry-After"], exception: false)
    answer = Hash(JSON.parse(response.body))
    return answer if status == 200 && answer["status"] == "success"

    reason = [answer["code"], answer["error"] || answer["message"]].compact.join(" ")
    raise Error.new("frontdesk answered HTTP #{status}: #{reason}",
                    status: status, code: answer["code"], retry_after: retry_after)
  rescue JSON::ParserError, TypeError
    raise Error.new("frontdesk answered HTTP #{status} without JSON", status: status, retry_after: retry_after)
  end
end
