/**
 * What the resources look like: how Calico writes them, what makes one wrong, its defaults and
 * names, and typed views for those who work with them.
 */
@NullMarked
package io.ocicat.datastore.model;

import org.jspecify.annotations.NullMarked;
