# frozen_string_literal: true

# Sends the mails of check.mjs by ActionMailer, and prints a line of JSON for each.

require "action_mailer"
require "base64"
require_relative "../actionmailer/frontdesk_delivery"

ActionMailer::Base.add_delivery_method :frontdesk, FrontdeskDelivery
ActionMailer::Base.delivery_method = :frontdesk
ActionMailer::Base.logger = Logger.new(LOG = StringIO.new)

class CaseMailer < ActionMailer::Base
  FIELDS = { to: "to", cc: "cc", bcc: "bcc", reply_to: "replyTo", from: "from" }.freeze

  def one(given)
    (given["headers"] || {}).each { |name, values| Array(values).each { |value| headers[name] = value } }
    headers["X-SES-MESSAGE-TAGS"] = given["tags"].map { |pair| pair.join("=") }.join(", ") if given["tags"]
    headers["Return-Path"] = given["returnPath"] if given["returnPath"]
    headers["Sender"] = given["sender"] if given["sender"]
    html = attach(given)
    fields = FIELDS.transform_values { |name| addresses(given[name]) }
    mail(subject: given["subject"] || "", **fields) do |format|
      format.text { render plain: given["text"] } if given["text"] || !html
      format.html { render html: html.html_safe } if html
    end
    if given.dig("calendar", "alternative")
      type = "text/calendar; charset=UTF-8; METHOD=#{given["calendar"]["method"]}"
      message.add_part(Mail::Part.new(content_type: type, body: given["calendar"]["content"]))
    end
    if given["alternative"]
      message.add_part(Mail::Part.new(content_type: "text/x-amp-html", body: given["alternative"]))
      message.content_type = "multipart/alternative"
    end
    message.content_type = "multipart/signed; boundary=x" if given["signed"]
    message.smtp_envelope_to = [given["envelope"]] if given["envelope"]
    message
  end

  private

  def addresses(boxes)
    (boxes || []).map { |box| box["name"] ? email_address_with_name(box["email"], box["name"]) : box["email"] }
  end

  # attach gives the HTML, which names the pictures.
  def attach(given)
    (given["attachments"] || []).each do |file|
      (file["inline"] ? attachments.inline : attachments)[file["filename"]] = content(file)
    end
    if (calendar = given["calendar"]) && !calendar["alternative"]
      type = "text/calendar; method=#{calendar["method"]}"
      attachments["invite.ics"] = { mime_type: type, content: calendar["content"] }
    end
    (given["inline"] || []).inject(given["html"]) do |html, file|
      attachments.inline[file["filename"]] = content(file)
      html.gsub("cid:#{file["filename"]}", attachments.inline[file["filename"]].url)
    end
  end

  def content(file)
    { mime_type: file["type"], content: Base64.decode64(file["content"]) }
  end
end

JSON.parse($stdin.read).each do |given|
  settings = { url: given["url"], key: ENV["MAIL_KEY"], timeout: given["timeout"] }
  ActionMailer::Base.frontdesk_settings = settings
  LOG.truncate(LOG.rewind)
  result = { case: given["name"], ids: [], dump: FrontdeskDelivery.new(settings).inspect }
  begin
    (given["mail"]["times"] || 1).times do
      mail = CaseMailer.one(given["mail"]).deliver_now
      result[:ids] << mail.message_id
      result[:dump] += mail.inspect
    end
  rescue FrontdeskDelivery::Error => e
    result.merge!(error: e.message, status: e.status, code: e.code, retryAfter: e.retry_after)
    result[:dump] += e.full_message
  end
  result[:log] = LOG.string
  puts JSON.generate(result)
end
