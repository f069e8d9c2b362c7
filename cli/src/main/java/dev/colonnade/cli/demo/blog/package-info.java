/**
 * BloggyAppy, the blog of the article on super columns, in four families. {@link
 * dev.colonnade.cli.demo.blog.Blog} is the application, with its records; the rest is the
 * walkthrough with the article's data.
 */
@NullMarked
package dev.colonnade.cli.demo.blog;

import org.jspecify.annotations.NullMarked;
