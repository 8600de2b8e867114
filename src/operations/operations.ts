import type { Deps } from '#src/infra/deps.ts';
import { createMailer, type MailSettings } from '#src/infra/mail/mailer.ts';
import { failedRunAlerts } from './alerts/note-alerts.service.ts';

export interface OperationsSettings {
  mail: MailSettings | null;
}

export const operationsServices = {
  open({ deps, settings }: { deps: Deps; settings: { operations: OperationsSettings } }) {
    const { mail } = settings.operations;
    if (mail) deps.redactor.add(decodeURIComponent(URL.parse(mail.url)?.password ?? ''));
    return {
      services: { alerts: { mailer: mail && createMailer(mail) } },
      consumers: [failedRunAlerts()],
    };
  },
};
