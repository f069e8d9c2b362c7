export { type Batch, type Outcome } from "./batch.js";
export { type CallSettings, Colonnade, type FamilyDefinition, type Node, type Settings } from "./client.js";
export {
  bytes,
  type Column,
  type Data,
  type Entry,
  isSuperColumn,
  long,
  type Row,
  type Slice,
  type SuperColumn,
  text,
  unlong,
} from "./data.js";
export { type Applied, ColonnadeError } from "./errors.js";
export { type Cursor, type Family, type Page, type Write } from "./family.js";
