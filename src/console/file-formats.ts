import { extname } from 'node:path';

/** How a file is sent. */
export interface FileFormat {
  type: string;
  /** False where the format is compressed already. */
  isText: boolean;
}

const formats: Record<string, FileFormat> = {
  '.js': { type: 'text/javascript; charset=utf-8', isText: true },
  '.css': { type: 'text/css; charset=utf-8', isText: true },
  '.svg': { type: 'image/svg+xml', isText: true },
  '.json': { type: 'application/json; charset=utf-8', isText: true },
  '.map': { type: 'application/json; charset=utf-8', isText: true },
  '.png': { type: 'image/png', isText: false },
  '.woff2': { type: 'font/woff2', isText: false },
};

export const fileFormat = (name: string): FileFormat =>
  formats[extname(name)] ?? { type: 'application/octet-stream', isText: false };
