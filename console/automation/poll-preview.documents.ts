import { mutation } from '#console/graph/documents.ts';

export const PreviewPoll = mutation(
  'previewPoll',
  'preview { fault from count hasMore records { key watermark fault value } }',
);
