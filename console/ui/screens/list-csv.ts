import type { Client, OperationResult } from 'urql';
import { readableError } from '#console/ui/load-failed.tsx';
import { notify } from '#console/ui/notices.ts';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import { csvCell } from './csv-cell.ts';
import type { Entity } from './rows.ts';
import type { Connection, ListScreen } from './screen.ts';

const pageSize = 100;
/** More rows than this belong into an export job. */
const maxCsvRows = 50_000;

/** Reads the whole list with its filter and order, and saves it as a file. */
export async function downloadCsv(
  client: Client,
  screen: ListScreen,
  variables: Record<string, unknown>,
  name: string,
): Promise<void> {
  const lines = [screen.columns.map(({ label }) => csvCell(label)).join(',')];
  const update = notify({ kind: 'pending', text: common.working });
  let after: string | null = null;
  do {
    const result: OperationResult<Record<string, unknown>> = await client
      .query(screen.document, { ...variables, first: pageSize, after }, { requestPolicy: 'network-only' })
      .toPromise();
    const page: Connection<Entity> | undefined =
      result.data && ((screen.page?.(result.data as never) ?? result.data[screen.query]) as Connection<Entity>);
    if (!page) {
      update({ kind: 'failed', text: result.error ? readableError(result.error).message : common.offlineError });
      return;
    }
    for (const { node } of page.edges) lines.push(screen.columns.map(({ show }) => csvCell(show.text(node))).join(','));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    update({ kind: 'pending', text: common.rows(numberText(lines.length - 1)) });
  } while (after !== null && lines.length <= maxCsvRows);
  saveFile(`${name}.csv`, `\uFEFF${lines.join('\r\n')}\r\n`, 'text/csv');
  update({ kind: 'done', text: common.rows(numberText(lines.length - 1)) });
}

/** Hands a file to the browser to save. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
