export { type Batch, type Outcome } from "./batch.js";
export { type CallSettings, Colonnade, type FamilyDefinition, type Node, type Settings } from "./client.js";
export { bytes, isSuperColumn, long, text, unlong } from "./data.js";
export type { Column, Data, Entry, Row, Slice, SuperColumn } from "./data.js";
export { type Applied, ColonnadeError } from "./errors.js";
export { type Cursor, type Family, type Page, type Reading, type Write } from "./family.js";
