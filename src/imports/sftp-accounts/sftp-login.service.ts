import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { SftpLogin } from '#src/infra/sftp/connect-sftp.ts';
import { accountSecrets } from './sftp-accounts.service.ts';

/** The login of an account, decrypted for the worker that connects. */
export const sftpLogin = (
  deps: Pick<Deps, 'database' | 'vault' | 'redactor'>,
  { tenantId, id }: { tenantId: string; id: number },
): Promise<SftpLogin> =>
  deps.database.withTenantSql(tenantId, async (tx) => {
    const { rows } = await tx.query<Pick<SftpLogin, 'host' | 'port' | 'username' | 'hostKey'>>(
      'SELECT host, port, username, host_key AS "hostKey" FROM sftp_accounts WHERE tenant_id = $1 AND id = $2',
      [tenantId, id],
    );
    const [account] = rows;
    if (!account) throw new NotFoundError('The SFTP account has been deleted.');
    return { ...account, ...(await accountSecrets.read(deps, tx, { tenantId, id })) };
  });
