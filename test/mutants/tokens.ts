import lua from "@ast-grep/lang-lua";
import { Lang, parse, registerDynamicLanguage, type SgNode } from "@ast-grep/napi";

/** What a source is made of, as far as it matters to what it does. */
export interface Token {
  readonly text: string;
  /** An identifier, or a member of `this`: what a rename may change. */
  readonly isName: boolean;
  readonly start: number;
  readonly end: number;
}

registerDynamicLanguage({ lua });

interface Language {
  readonly name: Lang | "lua";
  readonly keywords: ReadonlySet<string>;
  readonly commentsAndStrings: RegExp;
  /** Nodes that are one token each. */
  readonly whole: readonly string[];
  /** Nodes without an effect at run time. */
  readonly idle: readonly string[];
  readonly functions: readonly string[];
}

const TYPESCRIPT: Language = {
  name: Lang.TypeScript,
  keywords: new Set(
    `async await break case catch class const continue default delete do else export extends false
    finally for from function get if import in instanceof let new null of return set static super
    switch this throw true try typeof undefined void while yield`.split(/\s+/),
  ),
  commentsAndStrings:
    /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/y,
  whole: ["string", "template_string", "regex"],
  idle: [
    ...["comment", "type_annotation", "type_arguments", "type_parameters", "asserts_annotation"],
    ...["type_predicate_annotation", "accessibility_modifier", "override_modifier"],
    ...["type_alias_declaration", "interface_declaration"],
  ],
  functions: [
    ...["class_declaration", "function_declaration", "method_definition", "variable_declarator"],
    ...["public_field_definition", "pair"],
  ],
};

const LUA: Language = {
  name: "lua",
  keywords: new Set(
    `and break do else elseif end false for function if in local nil not or repeat return then true
    until while`.split(/\s+/),
  ),
  commentsAndStrings: /(?<comment>--.*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/y,
  whole: ["string"],
  idle: ["comment"],
  functions: ["function_declaration", "field"],
};

const WORD =
  /(?<space>\s+)|(?<word>#?[A-Za-z_$][\w$]*)|(?<number>\d[\w.]*)|(?<sign>\?\.|\?\?=?|===|!==|=>|\.\.\.?|[=!<>~]=|&&=?|\|\|=?|\+\+|--|\*\*|[-+*/%]=|[^\s\w])/y;

export function languageOf(file: string): Language {
  return file.endsWith(".lua") ? LUA : TYPESCRIPT;
}

/** Of a whole source: types, comments and layout are left out. */
export function tokensOfSource(file: string, text: string): readonly Token[] {
  const language = languageOf(file);
  const root = parse(language.name, text).root();
  const nodes = find(root, [...language.whole, ...language.idle]).map((node) => {
    const { start, end } = node.range();
    const isIdle = language.idle.includes(String(node.kind()));
    return { start: start.index, end: end.index, isIdle };
  });
  nodes.push(...(language === TYPESCRIPT ? castsIn(root) : []));
  nodes.sort((a, b) => a.start - b.start || b.end - a.end);
  const tokens: Token[] = [];
  let at = 0;
  for (const { start, end, isIdle } of nodes) {
    if (start < at) continue;
    tokens.push(...words(language, text, at, start));
    if (!isIdle) tokens.push(wholeToken(text.slice(start, end), start));
    at = end;
  }
  tokens.push(...words(language, text, at, text.length));
  return tidied(
    language === TYPESCRIPT ? tokens.filter(({ text }) => text !== "readonly") : tokens,
  );
}

/** Of any part of a source. */
export function tokensOfPart(file: string, text: string): readonly Token[] {
  const language = languageOf(file);
  const { commentsAndStrings } = language;
  const tokens: Token[] = [];
  let at = 0;
  let from = 0;
  while (at < text.length) {
    commentsAndStrings.lastIndex = at;
    const found = commentsAndStrings.exec(text);
    if (found === null) {
      at++;
      continue;
    }
    tokens.push(...words(language, text, from, at));
    if (found.groups?.["string"] !== undefined) tokens.push(wholeToken(found[0], at));
    at += found[0].length;
    from = at;
  }
  return tidied([...tokens, ...words(language, text, from, text.length)]);
}

/** Functions, methods and classes that enclose this place, by name. */
export function namesAround(file: string, text: string, start: number, end: number): Set<string> {
  const language = languageOf(file);
  const names = find(parse(language.name, text).root(), language.functions).flatMap((node) => {
    const range = node.range();
    if (range.start.index > start || range.end.index < end) return [];
    const name = node.field("name") ?? node.field("key");
    return name === null ? [] : [name.text()];
  });
  return new Set(names);
}

function find(root: SgNode, kinds: readonly string[]): SgNode[] {
  return root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } });
}

/** `as T`, `satisfies T`, and the sign of what is not null, with the brackets that only they need. */
function castsIn(root: SgNode): { start: number; end: number; isIdle: true }[] {
  const kinds = ["as_expression", "satisfies_expression", "non_null_expression"];
  return find(root, kinds).flatMap((node) => {
    const inner = node.children()[0] ?? node;
    const parent = node.parent();
    const around = parent?.kind() === "parenthesized_expression" ? parent : node;
    const [from, to] = [around.range().start.index, around.range().end.index];
    return [
      { start: from, end: node.range().start.index, isIdle: true },
      { start: inner.range().end.index, end: to, isIdle: true },
    ];
  });
}

function words({ keywords }: Language, text: string, start: number, end: number): Token[] {
  const tokens: Token[] = [];
  for (let at = start; at < end;) {
    WORD.lastIndex = at;
    const found = WORD.exec(text);
    if (found === null) throw new Error(`no token: ${text.slice(at, at + 20)}`);
    const [word] = found;
    if (found.groups?.["space"] === undefined) {
      const isName = found.groups?.["word"] !== undefined && !keywords.has(word);
      tokens.push({ text: word, isName, start: at, end: at + word.length });
    }
    at += word.length;
  }
  return tokens;
}

/** Either kind of quotation marks is the same. */
function wholeToken(text: string, start: number): Token {
  const isQuoted = text.startsWith("'") || text.startsWith('"');
  const inner = text.slice(1, -1).replaceAll(/\\(["'])/g, "$1");
  return { text: isQuoted ? `"${inner}"` : text, isName: false, start, end: start + text.length };
}

/** A member of `this` is one name, so that it may become a parameter; a comma before a bracket is layout. */
function tidied(tokens: readonly Token[]): readonly Token[] {
  const merged: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const [dot, member] = [tokens[at + 1], tokens[at + 2]];
    if (token.text === "this" && dot?.text === "." && member?.isName === true) {
      merged.push({ ...token, text: `this.${member.text}`, isName: true, end: member.end });
      at += 2;
    } else if (token.text !== "," || !/^[)\]}]$/.test(dot?.text ?? "")) merged.push(token);
  }
  return merged;
}
