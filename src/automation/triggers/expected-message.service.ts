import type { ExpectedMessage } from '#src/automation/firings/message-fit.rules.ts';
import type { MessageManifest } from '#src/automation/node-api/manifest.ts';
import { ValidationError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';

/**
 * Adds the schema of the message that a config names, from the newest package that has it. The config keeps the schema, so a later version
 * of the package changes nothing until the trigger is saved again. Throws a ValidationError for an unknown message.
 */
export async function withMessage(
  tx: TenantTx,
  config: { message?: Pick<ExpectedMessage, 'slug' | 'on_mismatch'> },
): Promise<object> {
  const { message } = config;
  if (message === undefined) return config;
  const [found] = await tx.$queryRaw<{ message: MessageManifest }[]>`
    SELECT m AS message FROM node_packages p, jsonb_array_elements(p.messages) m
    WHERE m ->> 'slug' = ${message.slug} ORDER BY p.id DESC LIMIT 1`;
  if (!found)
    throw new ValidationError({
      'config.message.slug': ['No package has this message. Choose one of `incomingMessages`, or leave it out.'],
    });
  const { version, schema } = found.message;
  return { ...config, message: { ...message, version, schema } satisfies ExpectedMessage };
}
