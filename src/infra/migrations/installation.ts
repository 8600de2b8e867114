import type pg from 'pg';

/** True once the migration has run that fixes the number of the installation. */
export async function isNumbered(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('installation_number') IS NOT NULL AS there`,
  );
  return rows[0]?.there === true;
}

/**
 * Throws if the database belongs to the installation of another number, because the ids of two installations must never meet. A
 * database without a number takes this one from the session when it is migrated.
 */
export async function assertInstallation(client: pg.Client, number: number): Promise<void> {
  if (!(await isNumbered(client))) {
    await client.query(`SELECT set_config('causeway.installation', $1, false)`, [String(number)]);
    return;
  }
  const { rows } = await client.query<{ number: number }>('SELECT number FROM installation_number');
  const fixed = rows[0]?.number;
  if (fixed === undefined || fixed === number) return;
  throw new Error(
    `This database is that of installation ${fixed}, and INSTALLATION says ${number}. Its ids are numbered as those of installation ${fixed}, so set INSTALLATION=${fixed}, or name another database.`,
  );
}
