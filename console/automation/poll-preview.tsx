import { useState } from 'react';
import { useClient } from 'urql';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import * as format from '#console/ui/formats.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { pollFormWords as w } from './poll-form.words.ts';
import { PreviewPoll } from './poll-preview.documents.ts';

interface Preview {
  fault: string | null;
  from: string | null;
  count: number;
  hasMore: boolean;
  records: readonly PreviewedRecord[];
}

interface PreviewedRecord {
  key: string | null;
  watermark: string | null;
  fault: string | null;
  value: unknown;
}

const shownLength = 200;

const columns: readonly Column<PreviewedRecord>[] = [
  { key: 'key', label: w.previewKey, show: format.text(({ key }) => key) },
  { key: 'watermark', label: w.previewWatermark, show: format.text(({ watermark }) => watermark) },
  { key: 'fault', label: w.previewFault, show: format.text(({ fault }) => fault) },
  {
    key: 'value',
    label: w.previewRecord,
    show: format.text(({ value }) => JSON.stringify(value).slice(0, shownLength)),
  },
];

/** Shows the first page of a poll while its author enters the config, so that the author sees whether the paths are right. */
export function PollPreview({ config }: { config: unknown }) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [preview, setPreview] = useState<Preview>();
  const [refused, setRefused] = useState<string>();
  const ask = async () => {
    setBusy(true);
    const { payload, refusal } = await mutate(client, PreviewPoll, { config });
    setBusy(false);
    setPreview(payload?.['preview'] as Preview | undefined);
    setRefused(refusal && [refusal.message, ...Object.values(refusal.fields)].join(' '));
  };
  const fault = refused ?? preview?.fault;
  return (
    <section className="field" aria-label={w.preview}>
      <Button isBusy={isBusy} onPress={() => void ask()}>
        {w.preview}
      </Button>
      <p className="field-help">{w.previewAbout}</p>
      <div role="status">
        {fault != null && <p className="field-error">{fault}</p>}
        {preview && (
          <p className="quiet">
            {w.previewed(preview.count, preview.from)} {preview.hasMore && w.previewMore}
          </p>
        )}
      </div>
      {preview && preview.records.length > 0 && (
        <Table rows={preview.records} columns={columns} label={w.previewRecords} />
      )}
    </section>
  );
}
