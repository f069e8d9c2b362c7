package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Authenticator;

/**
 * How clients are let in.
 *
 * @param required whether callers must say who they are, and may do only what they were granted
 */
public record ClientAccess(
    Accounts accounts, Authenticator authenticator, AuditLog audit, boolean required) {}
