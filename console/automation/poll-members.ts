import type { FormMember } from '#console/ui/form/field-props.ts';
import { pollFormWords as w } from './poll-form.words.ts';
import { triggerConfigWords } from './trigger-config.words.ts';

const timeFormats = ['auto', 'iso_seconds', 'local', 'local_iso', 'date', 'unix', 'unix_ms'];

const watermark: readonly FormMember[] = [
  {
    name: 'by',
    type: 'String',
    label: w.by,
    isRequired: true,
    options: [
      { value: 'updated_at', label: w.byTime },
      { value: 'id', label: w.byId },
      { value: 'cursor', label: w.byCursor },
    ],
  },
  { name: 'field', type: 'String', label: w.field, help: w.fieldHelp },
  { name: 'param', type: 'String', label: w.param, help: w.paramHelp },
  {
    name: 'order',
    type: 'String',
    label: w.order,
    help: w.orderHelp,
    options: [
      { value: 'ascending', label: w.ascending },
      { value: 'descending', label: w.descending },
    ],
  },
  {
    name: 'format',
    type: 'String',
    label: w.format,
    help: w.formatHelp,
    options: timeFormats.map((value) => ({ value, label: value })),
  },
  { name: 'timezone', type: 'String', label: w.zone },
  { name: 'overlap_seconds', type: 'Int', label: w.overlap, help: w.overlapHelp },
  { name: 'start', type: 'String', label: w.start, help: w.startHelp },
];

/** The members of the config of a poll trigger. */
export const pollMembers = (): readonly FormMember[] => [
  {
    name: 'node',
    type: 'JSON',
    label: w.node,
    isRequired: true,
    members: [
      { name: 'slug', type: 'String', label: w.slug, help: w.slugHelp, isRequired: true },
      { name: 'version', type: 'String', label: w.version },
    ],
  },
  { name: 'config', type: 'JSON', label: w.nodeConfig, help: w.nodeConfigHelp, isRequired: true },
  { name: 'items', type: 'String', label: w.items, help: w.itemsHelp },
  { name: 'key', type: 'String', label: w.key, help: w.keyHelp, isRequired: true },
  {
    name: 'distinct_by',
    type: 'String',
    label: w.distinct,
    help: w.distinctHelp,
    options: [
      { value: 'content', label: w.byContent },
      { value: 'watermark', label: w.byWatermark },
      { value: 'key', label: w.byKey },
    ],
  },
  { name: 'watermark', type: 'JSON', label: w.watermark, isRequired: true, members: watermark },
  { name: 'interval_seconds', type: 'Int', label: w.interval, help: w.intervalHelp },
  { name: 'cron', type: 'String', label: triggerConfigWords.cron, help: triggerConfigWords.cronHelp },
  { name: 'timezone', type: 'String', label: triggerConfigWords.timezone, help: triggerConfigWords.timezoneHelp },
  { name: 'batch', type: 'Int', label: w.batch, help: w.batchHelp },
];
