import type { AttributeTarget } from '#prisma/enums.ts';
import type { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { AttributeFilter, Definition } from './attribute-values.rules.ts';

/** The definitions for checking a write of a target; prepared, because every write reads them. */
export const definitionsSql = (tenantId: string, target: AttributeTarget) => ({
  name: 'attribute-definitions',
  text: `SELECT code, label, type::text, options, required FROM attributes
    WHERE tenant_id = $1 AND target = $2::attribute_target ORDER BY code`,
  values: [tenantId, target],
});

export async function findDefinitions(tx: Tx, tenantId: string, target: AttributeTarget): Promise<Definition[]> {
  const { rows } = await tx.query<Definition>(definitionsSql(tenantId, target));
  return rows;
}

/** True if a resource has a value of the attribute: any, or one of `values`. */
export async function isHeld(
  tx: Tx,
  { tenantId, target, code, values }: { tenantId: string; target: AttributeTarget; code: string; values?: string[] },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'attribute-is-held',
    text: `SELECT FROM attribute_values WHERE tenant_id = $1 AND target = $2::attribute_target AND code = $3
      AND ($4::text[] IS NULL OR hash = ANY (ARRAY(SELECT hashtextextended(v, 0) FROM unnest($4::text[]) AS v))) LIMIT 1`,
    values: [tenantId, target, code, values ?? null],
  });
  return rowCount === 1;
}

/**
 * Conditions that a row of a table with attributes, such as `products`, has each of the values. The hash finds rows by index; comparing the
 * value itself excludes rows with the same hash.
 */
export const attributeConditions = (
  { tenantId, target, filters }: { tenantId: string; target: AttributeTarget; filters: readonly AttributeFilter[] },
  parameters: SqlParameters,
): string[] =>
  filters.flatMap((filter) => {
    const [tenant, of, code, text] = [tenantId, target, filter.code, filter.text].map((value) => parameters.add(value));
    return [
      `id IN (SELECT v.resource_id FROM attribute_values v WHERE v.tenant_id = ${tenant}
        AND v.target = ${of}::attribute_target AND v.code = ${code} AND v.hash = hashtextextended(${text}, 0))`,
      `attributes ->> ${code}::text = ${text}`,
    ];
  });
