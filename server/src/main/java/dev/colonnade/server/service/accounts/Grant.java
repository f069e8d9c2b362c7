package dev.colonnade.server.service.accounts;

/** A permission on something. */
public record Grant(Permission permission, Resource resource) {}
