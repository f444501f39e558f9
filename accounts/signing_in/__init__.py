"""Sign-in: the adapter and forms of django-allauth, and proof of identity before irreversible acts."""
