import { useEffect, useId, useState } from 'react';
import { targetName } from '#console/imports/targets.words.ts';
import { useUnsaved } from '#console/ui/unsaved.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { columnsFor, draftFor, fits, type SentFile, withChanges } from './draft.ts';
import { FileSettings } from './file-settings.tsx';
import { MoreSettings } from './more-settings.tsx';
import { newImportWords as w } from './new-import.words.ts';
import { PreviewTable } from './preview-table.tsx';
import { RunImport } from './run-import.tsx';
import { type Profile, profileSettings, type Settings, type Target } from './settings.ts';
import { usePreview } from './use-preview.ts';

interface Props {
  sent: SentFile;
  targets: readonly Target[];
  profiles: readonly Profile[];
}

/** The form for an uploaded file. A corrected file that replaces it keeps the entered values if its columns fit. */
export function ImportForm({ sent, targets, profiles }: Props) {
  const id = useId();
  const [settings, setSettings] = useState(() => draftFor(sent, targets));
  const [profileId, setProfileId] = useState('');
  const [isStarted, setStarted] = useState(false);
  const profile = profiles.find(({ id }) => id === profileId);
  const preview = usePreview(sent.uploadId, settings);
  useUnsaved(!isStarted);
  useEffect(() => {
    setSettings((before) => (fits(before, sent) ? before : draftFor(sent, targets)));
  }, [sent, targets]);
  const { fields = [] } = targets.find(({ name }) => name === settings.target) ?? {};
  const change = (changes: Partial<Settings>) => setSettings(withChanges(settings, changes, sent, targets));
  const choose = (chosen: string) => {
    const known = profiles.find(({ id }) => id === chosen);
    const target = targets.find(({ name }) => name === known?.target);
    setProfileId(chosen);
    setSettings(known ? profileSettings(known, target?.fields ?? []) : draftFor(sent, targets));
  };
  return (
    <>
      <section className="section" aria-labelledby={`${id}-holds`}>
        <h2 id={`${id}-holds`}>{w.holds}</h2>
        <div className="file-settings">
          <div className="field">
            <label htmlFor={`${id}-profile`}>{w.profile}</label>
            <select
              id={`${id}-profile`}
              className="input"
              value={profileId}
              onChange={({ target }) => choose(target.value)}
            >
              <option value="">{w.noProfile}</option>
              {profiles.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor={`${id}-target`}>{w.target}</label>
            <select
              id={`${id}-target`}
              className="input"
              value={settings.target}
              onChange={({ target }) => change({ target: target.value })}
            >
              {targets.map(({ name }) => (
                <option key={name} value={name}>
                  {targetName(name)}
                </option>
              ))}
            </select>
          </div>
        </div>
        <FileSettings settings={settings} preview={preview} change={change} />
        <MoreSettings values={settings.others} preview={preview} change={(others) => change({ others })} />
      </section>
      <section className="section" aria-labelledby={`${id}-columns`}>
        <h2 id={`${id}-columns`}>{w.columns}</h2>
        {sent.proposal.columns.length === 0 && <p className="preview-bad">{w.noColumns}</p>}
        <ColumnMapping {...{ fields, settings, preview, change }} columns={columnsFor(sent, settings)} />
      </section>
      <section className="section" aria-labelledby={`${id}-preview`}>
        <h2 id={`${id}-preview`}>{w.preview}</h2>
        <PreviewTable preview={preview} settings={settings} />
      </section>
      <RunImport
        {...{ sent, settings, profile, profiles }}
        isReady={!preview.isOld && preview.rows !== undefined}
        started={() => setStarted(true)}
      />
    </>
  );
}
