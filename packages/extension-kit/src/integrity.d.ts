/** The subresource integrity of a file's bytes: `sha384-...`. */
export declare function integrityOf(content: Uint8Array | string): string;

export interface AssetFile {
  /** The path in the manifest. */
  path: string;
  content: Buffer;
  integrity: string;
  /** Content-Type. */
  type: string;
}

/**
 * The declared assets, read from the folder of the extension: `/assets/a.css` is `assets/a.css` there. Throws an error that names
 * the asset that is missing.
 */
export declare function readAssets(
  root: string | URL,
  manifest: { readonly assets?: { readonly stylesheet?: string; readonly javascript?: string } },
): Promise<AssetFile[]>;
