/** The part of WebAssembly that is used; its types are part of the browsers' types. */
interface WebAssemblyApi {
  readonly Module: {
    new (bytes: Uint8Array): Module;
    imports(module: Module): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (
    module: Module,
    imports: Imports,
  ) => {
    readonly exports: Readonly<Record<string, unknown>>;
  };
}

export interface Module {
  readonly isModule: true;
}

export interface Memory {
  readonly buffer: ArrayBuffer;
  /** @param pages of 64 KB */
  grow(pages: number): number;
}

export interface Table {
  get(index: number): unknown;
  set(index: number, entry: unknown): void;
  grow(by: number): number;
}

export type Imports = Record<string, Record<string, ((...args: number[]) => unknown) | Memory>>;

export const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;
