package dev.colonnade.client;

import java.util.Optional;

/**
 * Who a call is made as.
 *
 * @param authenticationOn whether the node asks callers who they are; where not, everyone may do
 *     everything
 * @param account empty where authentication is off
 */
public record Caller(boolean authenticationOn, Optional<Account> account) {}
