import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte. */
  url: string;
  /** The sender: an address, or `Name <address>`. */
  from: string;
}

export interface Mail {
  /** Names the mail in its `Message-ID`; the same for a mail that is sent again because it is unknown whether it arrived. */
  id: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
}

/** The server could not be reached, or did not take the mail. The message is for people, and may repeat what the server said. */
export class MailError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'MailError';
  }
}

export interface Mailer {
  /** Sends one mail to all addresses, and returns those that the server refused. Throws a MailError if it refused all, or does not answer. */
  send(mail: Mail): Promise<string[]>;
}

const answerMs = 10_000;
const idleMs = 30_000;
/** The longest that one mail may take, however slowly the server answers. */
const sendMs = 90_000;

/** The part of an address behind the `@`, of `alerts@example.com` and of `Alerts <alerts@example.com>`. */
const senderDomain = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';

/**
 * Sends mail over the operator's own server, which is trusted: egress limits what tenants may call. Each mail has a connection of its own,
 * because few are sent.
 */
export function createMailer({ url, from }: MailSettings): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, subject, text, html }) {
      const mail = {
        from,
        to: [...to],
        subject,
        text,
        html,
        messageId: `<${id}@${senderDomain(from)}>`,
        // No vacation notice answers it (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(sendMs),
      };
      try {
        const { rejected } = await transport.sendMail(mail);
        return rejected;
      } catch (error) {
        throw new MailError(`The mail server did not take the mail: ${(error as Error).message}`, error);
      }
    },
  };
}
