/**
 * Who may do what: accounts (users and roles) with their passwords and permissions, which every
 * node keeps in {@code system.Accounts} and tells the others; the check of passwords and tokens;
 * and the audit log. It knows nothing of gRPC.
 */
@NullMarked
package dev.colonnade.server.service.accounts;

import org.jspecify.annotations.NullMarked;
