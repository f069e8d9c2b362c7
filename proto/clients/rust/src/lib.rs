//! A client for Colonnade, a wide-column store with the data model of the first Cassandra.
//!
//! ```no_run
//! # async fn tour() -> Result<(), colonnade::Error> {
//! let client = colonnade::Client::new(["127.0.0.1:9160"], colonnade::Settings::default())?;
//! let users = client.family("Example", "UserProfile");
//! users.put("jsmith", "city", "Tulsa").await?;
//! let city = users.get("jsmith", "city").await?;
//! # Ok(())
//! # }
//! ```
//!
//! Keys, names and values are bytes: what is `AsRef<[u8]>` goes in (text as UTF-8, [`long`] for names of LongType), and
//! `Vec<u8>` comes out. Clients, families and batches are cheap to clone and may be used by several tasks.

#![deny(missing_docs)]

mod batch;
mod client;
mod cursor;
mod data;
mod error;
mod family;

pub use admin::ColumnFamilyDef as FamilyDefinition;
pub use batch::Batch;
pub use client::{Answer, Client, Connection, Node, Settings, User};
pub use cursor::{Cursor, Page, Reading};
pub use data::{Row, long, unlong};
pub use error::{Error, Result};
pub use family::Family;
pub use pb::{Applied, Column, ConsistencyLevel, MutateOutcome as Outcome, SlicePredicate as Slice, SliceRange};
pub use pb::{SuperColumn, column_or_super_column::Value as Entry};

/// The generated messages and stubs of `colonnade.v1`.
#[allow(missing_docs, clippy::all, rustdoc::all)]
pub mod pb {
    tonic::include_proto!("colonnade.v1");
}

/// The generated messages and stubs of `colonnade.admin.v1`.
#[allow(missing_docs, clippy::all, rustdoc::all)]
pub mod admin {
    tonic::include_proto!("colonnade.admin.v1");
}
