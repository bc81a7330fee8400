"""Sends a message through the SMTP server that the user has set."""

import smtplib
import ssl
from email import message_from_string, policy

from fieldmouse.settings import NotifySettings

SECONDS = 30.0


def send_mail(message: str, to: list[str], settings: NotifySettings) -> str:
    """Send a whole message; why the server has not taken it, or empty."""
    parsed = message_from_string(message, policy=policy.SMTP)
    kind = smtplib.SMTP_SSL if settings.smtp_security == "tls" else smtplib.SMTP
    try:
        with kind(settings.smtp_host, settings.smtp_port, timeout=SECONDS) as server:
            if settings.smtp_security == "starttls":
                server.starttls(context=ssl.create_default_context())
            if settings.smtp_user:
                server.login(settings.smtp_user, settings.smtp_password)
            server.send_message(parsed, settings.mail_from, to)
    except (OSError, smtplib.SMTPException) as error:
        return getattr(error, "strerror", None) or str(error) or type(error).__name__
    return ""
