import { useState } from 'react';
import { type InputCatalogue, readInputTypes } from '#console/graph/input-types.ts';
import { FormFields } from '#console/ui/form/form-fields.tsx';
import { newImportWords as w } from './new-import.words.ts';
import { otherSettings, type Settings } from './settings.ts';
import type { Preview } from './use-preview.ts';

interface Props {
  values: Settings['others'];
  preview: Preview;
  change: (values: Settings['others']) => void;
}

/** Settings that few files need, as the graph describes them. */
export function MoreSettings({ values, preview, change }: Props) {
  const [catalogue, setCatalogue] = useState<InputCatalogue>();
  const open = () => void readInputTypes().then(setCatalogue);
  const errors = Object.entries(preview.refusal?.fields ?? {}).map(([path, text]) => [
    path.replace(/^settings\./, ''),
    text,
  ]);
  return (
    <details onToggle={open}>
      <summary>{w.moreSettings}</summary>
      {catalogue && (
        <div className="form more-settings">
          <FormFields
            catalogue={catalogue}
            fields={(catalogue.inputs['ImportSettingsInput'] ?? []).filter(({ name }) => otherSettings.has(name))}
            values={values}
            path=""
            errors={Object.fromEntries(errors)}
            lookups={{}}
            choices={{}}
            change={change}
          />
        </div>
      )}
    </details>
  );
}
