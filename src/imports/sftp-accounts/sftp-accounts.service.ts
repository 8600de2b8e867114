import type { SftpAccount } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { sftpPort } from '#src/infra/sftp/connect-sftp.ts';
import { privateKeyFault } from '#src/infra/sftp/private-key.ts';
import { createSealedTexts } from '#src/infra/vault/sealed-texts.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { assertServer, missingHostKey } from './host-key.service.ts';
import { auditedSftpAccount } from './sftp-accounts.declarations.ts';
import {
  acceptSftpHostKeyInput,
  accountsPerTenant,
  createSftpAccountInput,
  updateSftpAccountInput,
} from './sftp-accounts.inputs.ts';

export const accountSecrets = createSealedTexts('sftp_accounts');

/**
 * Creates an account. ValidationError at a member that is not allowed. Without `hostKey` the error names the key that the server shows,
 * so that a person compares and pins it.
 */
export async function createSftpAccount(deps: Deps, actor: Actor, given: unknown): Promise<SftpAccount> {
  const { name, host, port: asked, username, hostKey, ...secrets } = parseInput(createSftpAccountInput, given);
  const port = asked ?? sftpPort;
  const texts = await loginTexts(secrets);
  if (!texts) throw new ValidationError({ password: ['Give a password or a private key.'] });
  assertServer(deps, { host, port });
  if (hostKey == null) throw await missingHostKey(deps, { host, port });
  const { tenantId } = actor;
  return deps.database
    .withTenant(tenantId, async (tx) => {
      await requirePlace(tx, tenantId);
      const data = { tenantId, name, host, port, username, hostKey, loginBy: loginKind(texts) };
      const { id } = await tx.sftpAccount.create({ data, select: { id: true } });
      const account = await tx.sftpAccount.update({
        where: { tenantId_id: { tenantId, id } },
        data: await accountSecrets.seal(deps, tx, { tenantId, id }, texts),
      });
      const metadata = { name, host, port, username, host_key: hostKey };
      await recordAudit(tx, actor, { resource: auditedSftpAccount, action: 'create', resourceId: id, metadata });
      return account;
    })
    .catch(nameTaken);
}

/**
 * Changes the members that are given. The pinned host key stays, also for another host, which needs a login of its own: otherwise,
 * a user who may change the host could have the stored password sent to a server that they control.
 */
export async function updateSftpAccount(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<SftpAccount> {
  const { password, privateKey, passphrase, ...plain } = parseInput(updateSftpAccountInput, given);
  const texts = await loginTexts({ password, privateKey, passphrase });
  const { tenantId } = actor;
  return deps.database
    .withTenant(tenantId, async (tx) => {
      const before = await lockAccount(tx, tenantId, id);
      const changes = Object.fromEntries(
        Object.entries(plain).filter(([field, value]) => value != null && value !== before[field as keyof SftpAccount]),
      );
      const after: SftpAccount = { ...before, ...changes };
      assertServer(deps, after);
      if (!texts && (after.host !== before.host || after.port !== before.port))
        throw new ValidationError({
          password: ['Another server needs the password or private key to be given again.'],
        });
      if (!texts && Object.keys(changes).length === 0) return before;
      const sealed = texts && {
        ...(await accountSecrets.seal(deps, tx, { tenantId, id }, texts)),
        loginBy: loginKind(texts),
      };
      const account = await tx.sftpAccount.update({
        where: { tenantId_id: { tenantId, id } },
        data: { ...changes, ...sealed },
      });
      const metadata = { name: before.name, changed: [...Object.keys(changes), ...(texts ? ['password or key'] : [])] };
      await recordAudit(tx, actor, { resource: auditedSftpAccount, action: 'update', resourceId: id, metadata });
      return account;
    })
    .catch(nameTaken);
}

/** Pins another host key, for example after the server was reinstalled. A repeat changes nothing. */
export async function acceptSftpHostKey(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<SftpAccount> {
  const { hostKey } = parseInput(acceptSftpHostKeyInput, given);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId, id);
    if (before.hostKey === hostKey) return before;
    const account = await tx.sftpAccount.update({ where: { tenantId_id: { tenantId, id } }, data: { hostKey } });
    const metadata = { name: before.name, host_key: hostKey, former_host_key: before.hostKey };
    await recordAudit(tx, actor, { resource: auditedSftpAccount, action: 'accept_host_key', resourceId: id, metadata });
    return account;
  });
}

/** Throws ConflictError while a schedule uses it. */
export async function deleteSftpAccount({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { name } = await lockAccount(tx, tenantId, id);
    if ((await tx.transfer.count({ where: { tenantId, accountId: id } })) > 0)
      throw new ConflictError('Schedules use the account. Delete them first, or give them another.');
    await tx.sftpAccount.delete({ where: { tenantId_id: { tenantId, id } } });
    const metadata = { name };
    await recordAudit(tx, actor, { resource: auditedSftpAccount, action: 'delete', resourceId: id, metadata });
  });
}

interface LoginTexts {
  [name: string]: string;
}

/** The encrypted part of the login; undefined where none is given. */
async function loginTexts({
  password,
  privateKey,
  passphrase,
}: Partial<Record<'password' | 'privateKey' | 'passphrase', string | null | undefined>>): Promise<
  LoginTexts | undefined
> {
  if (password != null && privateKey != null)
    throw new ValidationError({ privateKey: ['Give a password or a private key, not both.'] });
  if (privateKey == null) {
    if (passphrase != null) throw new ValidationError({ passphrase: ['Give the private key that it opens.'] });
    return password == null ? undefined : { password };
  }
  const fault = await privateKeyFault(privateKey, passphrase ?? undefined);
  if (fault !== undefined) throw new ValidationError({ privateKey: [fault] });
  return { privateKey, ...(passphrase != null && { passphrase }) };
}

const loginKind = (texts: LoginTexts): 'password' | 'private_key' =>
  texts['privateKey'] === undefined ? 'password' : 'private_key';

async function lockAccount(tx: TenantTx, tenantId: string, id: bigint): Promise<SftpAccount> {
  await tx.query('SELECT FROM sftp_accounts WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const account = await tx.sftpAccount.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!account) throw new NotFoundError();
  return account;
}

async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `sftp-accounts/${tenantId}`);
  if ((await tx.sftpAccount.count({ where: { tenantId } })) < accountsPerTenant) return;
  throw new AppError('UNPROCESSABLE', `A tenant has at most ${accountsPerTenant} SFTP accounts; delete one.`);
}

function nameTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
  throw error;
}
